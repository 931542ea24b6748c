//! The tokens of Promela.

use crate::collections::Lookup;
use crate::source::{Name, Span};
use std::borrow::Cow;

/// A token with its place. `newline_before` is what makes separators optional.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    pub kind: TokenKind,
    pub span: Span,
    /// Of an argument of an inline: where the parameter stands in the body.
    pub parameter: Option<Span>,
    /// At least one line of the author's text ended between the last token and this one.
    pub newline_before: bool,
    /// White space or a comment stood before it (asked by `#` and by macro definitions).
    pub space_before: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum TokenKind {
    Name(Name),
    /// The digits as written; they may be more than fit a number.
    Number(Name),
    /// Without the quotes, escapes as written.
    String(Name),
    /// Without the quotes, escapes as written.
    Character(Name),
    /// `{ ... }` or `[ ... ] { ... }` of embedded C, verbatim with its braces.
    CText(Name),
    Keyword(Keyword),
    Symbol(Symbol),
    /// Opens the body of an inlined call: what follows is `{ body }`. Made by
    /// `inline`, never by the lexer; its span is the call.
    InlineCall(Name),
    /// A character that no token begins with.
    Unknown(char),
}

impl TokenKind {
    /// As it would be written.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Name(text) | Self::Number(text) | Self::CText(text) | Self::InlineCall(text) => Cow::Borrowed(text),
            Self::String(text) => Cow::Owned(format!("\"{text}\"")),
            Self::Character(text) => Cow::Owned(format!("'{text}'")),
            Self::Keyword(keyword) => Cow::Borrowed(keyword.text()),
            Self::Symbol(symbol) => Cow::Borrowed(symbol.text()),
            Self::Unknown(character) => Cow::Owned(character.to_string()),
        }
    }

    pub fn is_symbol(&self, symbol: Symbol) -> bool {
        *self == Self::Symbol(symbol)
    }

    pub fn is_keyword(&self, keyword: Keyword) -> bool {
        *self == Self::Keyword(keyword)
    }

    /// The word's text: a name, or a keyword, which a macro may also be called.
    pub fn word(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            Self::Keyword(keyword) => Some(keyword.text()),
            _ => None,
        }
    }
}

/// Declares the fixed words of the language once: variant and spelling.
macro_rules! words {
    ($(#[$doc:meta])* $enum:ident { $($variant:ident = $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $enum { $(#[doc = $text] $variant),* }

        impl $enum {
            pub const ALL: &[$enum] = &[$($enum::$variant),*];

            pub fn text(self) -> &'static str {
                match self { $($enum::$variant => $text),* }
            }

            pub fn from_text(text: &str) -> Option<$enum> {
                match text { $($text => Some($enum::$variant),)* _ => None }
            }
        }
    };
}

words! {
    /// Words that can never be names. The words of LTL are names outside a
    /// formula, those of timers are outside a timed model, and `scalarset` is where
    /// no type may stand, so the lexer takes them for names: `formula`, `timers` and
    /// `sets` turn them into these.
    Keyword {
        Active = "active", Assert = "assert", Atomic = "atomic", Bit = "bit", Bool = "bool",
        Break = "break", Byte = "byte", CCode = "c_code", CDecl = "c_decl", CExpr = "c_expr",
        CState = "c_state", CTrack = "c_track", Chan = "chan", DProctype = "D_proctype",
        DStep = "d_step", Do = "do", Else = "else", Empty = "empty", Enabled = "enabled",
        Eval = "eval", False = "false", Fi = "fi", For = "for", Full = "full",
        GetPriority = "get_priority", Goto = "goto", Hidden = "hidden", If = "if",
        Init = "init", Inline = "inline", Int = "int", Len = "len", Local = "local", Ltl = "ltl",
        Mtype = "mtype", Nempty = "nempty", Never = "never", Nfull = "nfull",
        NonProgress = "np_", Notrace = "notrace", Od = "od", Of = "of", PcValue = "pc_value",
        Pid = "pid", Printf = "printf", Printm = "printm", Priority = "priority",
        Proctype = "proctype", Provided = "provided", Return = "return", Run = "run",
        Select = "select", SetPriority = "set_priority", Short = "short", Show = "show",
        Skip = "skip", Timeout = "timeout", Trace = "trace", True = "true",
        Typedef = "typedef", Unless = "unless", Unsigned = "unsigned", Xr = "xr", Xs = "xs",
        // In timed models only.
        Timer = "timer", Set = "set", Reset = "reset", Expire = "expire", On = "on", Delay = "delay",
        Udelay = "udelay",
        // As a type only.
        Scalarset = "scalarset",
        // In formulas only.
        Always = "always", Eventually = "eventually", Until = "until", WeakUntil = "weakuntil",
        Release = "release", Next = "next", Implies = "implies", Equivalent = "equivalent",
    }
}

impl Keyword {
    /// A name, except inside a formula.
    pub fn is_of_formulas(self) -> bool {
        self >= Self::Always
    }

    /// A name, except in a timed model.
    pub fn is_of_time(self) -> bool {
        (Self::Timer..=Self::Udelay).contains(&self)
    }

    /// A name wherever it is no word of a formula or of a timed model, and no type.
    pub fn is_contextual(self) -> bool {
        self.is_of_formulas() || self.is_of_time() || self == Self::Scalarset
    }

    /// Begins a declaration of variables.
    pub fn is_type(self) -> bool {
        matches!(
            self,
            Self::Bit
                | Self::Bool
                | Self::Byte
                | Self::Pid
                | Self::Short
                | Self::Int
                | Self::Unsigned
                | Self::Chan
                | Self::Mtype
                | Self::Timer
                | Self::Scalarset
        )
    }
}

words! {
    /// Punctuation. The longest match wins: `!!` is one symbol.
    Symbol {
        OpenParen = "(", CloseParen = ")", OpenBracket = "[", CloseBracket = "]",
        OpenBrace = "{", CloseBrace = "}", Comma = ",", Semicolon = ";", Arrow = "->",
        Colon = ":", DoubleColon = "::", Dot = ".", DotDot = "..", At = "@", Assign = "=",
        PlusPlus = "++", MinusMinus = "--", Plus = "+", Minus = "-", Star = "*", Slash = "/",
        Percent = "%", Bang = "!", BangBang = "!!", Query = "?", QueryQuery = "??",
        Equal = "==", NotEqual = "!=", Less = "<", LessEqual = "<=", Greater = ">",
        GreaterEqual = ">=", ShiftLeft = "<<", ShiftRight = ">>", And = "&", AndAnd = "&&",
        Or = "|", OrOr = "||", Xor = "^", Tilde = "~", Hash = "#", HashHash = "##",
        // In formulas only.
        Box = "[]", Diamond = "<>", DoubleArrow = "<->",
    }
}

impl Symbol {
    /// The longest symbol that begins with these bytes, and its length; `<->` and
    /// its like are put together inside formulas only.
    pub fn longest(first: u8, second: Option<u8>) -> (Option<Self>, usize) {
        let pair = match (first, second) {
            (b'-', Some(b'>')) => Some(Self::Arrow),
            (b':', Some(b':')) => Some(Self::DoubleColon),
            (b'.', Some(b'.')) => Some(Self::DotDot),
            (b'+', Some(b'+')) => Some(Self::PlusPlus),
            (b'-', Some(b'-')) => Some(Self::MinusMinus),
            (b'!', Some(b'!')) => Some(Self::BangBang),
            (b'?', Some(b'?')) => Some(Self::QueryQuery),
            (b'=', Some(b'=')) => Some(Self::Equal),
            (b'!', Some(b'=')) => Some(Self::NotEqual),
            (b'<', Some(b'=')) => Some(Self::LessEqual),
            (b'>', Some(b'=')) => Some(Self::GreaterEqual),
            (b'<', Some(b'<')) => Some(Self::ShiftLeft),
            (b'>', Some(b'>')) => Some(Self::ShiftRight),
            (b'&', Some(b'&')) => Some(Self::AndAnd),
            (b'|', Some(b'|')) => Some(Self::OrOr),
            (b'#', Some(b'#')) => Some(Self::HashHash),
            _ => None,
        };
        if pair.is_some() {
            return (pair, 2);
        }
        let single = match first {
            b'(' => Self::OpenParen,
            b')' => Self::CloseParen,
            b'[' => Self::OpenBracket,
            b']' => Self::CloseBracket,
            b'{' => Self::OpenBrace,
            b'}' => Self::CloseBrace,
            b',' => Self::Comma,
            b';' => Self::Semicolon,
            b':' => Self::Colon,
            b'.' => Self::Dot,
            b'@' => Self::At,
            b'=' => Self::Assign,
            b'+' => Self::Plus,
            b'-' => Self::Minus,
            b'*' => Self::Star,
            b'/' => Self::Slash,
            b'%' => Self::Percent,
            b'!' => Self::Bang,
            b'?' => Self::Query,
            b'<' => Self::Less,
            b'>' => Self::Greater,
            b'&' => Self::And,
            b'|' => Self::Or,
            b'^' => Self::Xor,
            b'~' => Self::Tilde,
            b'#' => Self::Hash,
            _ => return (None, 1),
        };
        (Some(single), 1)
    }
}

/// One [`Name`] per distinct text, so that a token costs no allocation.
#[derive(Debug, Default)]
pub struct NameInterner {
    kinds: Lookup<Name, TokenKind>,
}

impl NameInterner {
    /// A word of the source: a keyword or a name.
    pub fn word(&mut self, text: &str) -> TokenKind {
        if let Some(kind) = self.kinds.get(text) {
            return kind.clone();
        }
        let name = Name::from(text);
        let kind = match Keyword::from_text(text) {
            Some(keyword) if !keyword.is_contextual() => TokenKind::Keyword(keyword),
            _ => TokenKind::Name(name.clone()),
        };
        self.kinds.insert(name, kind.clone());
        kind
    }

    /// Any other text: of a number, a string, a macro's name.
    pub fn name(&mut self, text: &str) -> Name {
        match self.word(text) {
            TokenKind::Name(name) => name,
            _ => Name::from(text),
        }
    }
}

/// What a character constant stands for, given the text between its quotes;
/// nothing if that is not one character.
pub fn character_value(text: &str) -> Option<i32> {
    let mut characters = text.chars();
    let value = match characters.next()? {
        '\\' => match characters.next()? {
            'n' => 10,
            't' => 9,
            'r' => 13,
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'v' => 11,
            '0' => 0,
            other => other as u32,
        },
        '\'' => return None,
        other => other as u32,
    };
    if characters.next().is_some() { None } else { i32::try_from(value).ok() }
}
