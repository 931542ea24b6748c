//! Random trees: well formed, but with no meaning.

use super::ast::{
    Active, BinaryOp, Block, Declaration, Declarator, Expr, ExprKind, FieldRef, File, Ident, Initializer,
    InitializerKind, Inlined, Item, ItemKind, Probe, Proctype, ReceiveArgument, ReceiveKind, Side, Statement,
    StatementKind, TypeKind, TypeName, UnaryOp, VarRef, Visibility,
};
use pmc::source::Span;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

const NOWHERE: Span = Span { start: 0, end: 0, expansion: None };

fn expr(kind: ExprKind) -> Expr {
    Expr::new(kind, NOWHERE)
}

fn block(statements: Vec<Statement>) -> Block {
    Block { statements, span: NOWHERE }
}

fn ident(name: &str) -> Ident {
    Ident::new(name, NOWHERE)
}

/// Names that are none of a proctype, so that `(c -> a : b)` has one reading.
fn any_ident() -> impl Strategy<Value = Ident> {
    prop::sample::select(vec!["a", "b", "in", "until", "x1", "_pid", "loop", "type"]).prop_map(ident)
}

/// Names that can stand in a formula too.
fn any_plain_ident() -> impl Strategy<Value = Ident> {
    prop::sample::select(vec!["a", "b", "x1", "_pid"]).prop_map(ident)
}

fn place_of(index: impl Strategy<Value = Expr> + Clone + 'static) -> impl Strategy<Value = VarRef> {
    let field = (any_plain_ident(), option::of(index.clone()))
        .prop_map(|(name, index)| FieldRef { name, index: index.map(Box::new) });
    (any_plain_ident(), option::of(index), vec(field, 0..2)).prop_map(|(name, index, fields)| VarRef {
        name,
        index: index.map(Box::new),
        fields,
        span: NOWHERE,
    })
}

fn any_constant() -> impl Strategy<Value = ExprKind> {
    prop_oneof![
        any::<i32>().prop_map(ExprKind::Number),
        (0..10).prop_map(ExprKind::Number),
        any::<bool>().prop_map(ExprKind::Bool),
        Just(ExprKind::Skip),
    ]
}

fn any_binary() -> impl Strategy<Value = BinaryOp> {
    use BinaryOp::{
        Add, And, BitAnd, BitOr, BitXor, Divide, Equal, Greater, GreaterEqual, Less, LessEqual, Multiply, NotEqual, Or,
        Remainder, ShiftLeft, ShiftRight, Subtract,
    };
    prop::sample::select(vec![
        Add,
        Subtract,
        Multiply,
        Divide,
        Remainder,
        BitAnd,
        BitOr,
        BitXor,
        ShiftLeft,
        ShiftRight,
        Equal,
        NotEqual,
        Less,
        LessEqual,
        Greater,
        GreaterEqual,
        And,
        Or,
    ])
}

fn any_unary() -> impl Strategy<Value = UnaryOp> {
    prop::sample::select(vec![UnaryOp::Negate, UnaryOp::Not, UnaryOp::Complement])
}

fn any_leaf() -> impl Strategy<Value = Expr> {
    prop_oneof![
        4 => any_constant(),
        4 => any_plain_ident().prop_map(|name| ExprKind::Place(VarRef::new(name))),
        1 => prop::sample::select(vec![ExprKind::Timeout, ExprKind::NonProgress]),
        1 => any_plain_ident().prop_map(|name| ExprKind::Probe(Probe::Len, VarRef::new(name))),
        1 => any_plain_ident().prop_map(|label| ExprKind::RemoteLabel { proctype: ident("P"), pid: None, label }),
        1 => Just(ExprKind::CExpr { guard: None, text: " x + 1 ".into() }),
    ]
    .prop_map(expr)
}

fn any_expr() -> impl Strategy<Value = Expr> + Clone {
    any_leaf()
        .prop_recursive(5, 40, 3, |inner| {
            let boxed = inner.clone().prop_map(Box::new);
            prop_oneof![
                3 => (any_unary(), boxed.clone()).prop_map(|(op, e)| ExprKind::Unary(op, e)),
                6 => (any_binary(), boxed.clone(), boxed.clone()).prop_map(|(op, l, r)| ExprKind::Binary(op, l, r)),
                2 => (boxed.clone(), boxed.clone(), boxed.clone())
                    .prop_map(|(c, yes, no)| ExprKind::Conditional(c, yes, no)),
                2 => place_of(inner.clone()).prop_map(ExprKind::Place),
                1 => (vec(inner.clone(), 0..3), option::of(1..9i32)).prop_map(|(arguments, priority)| ExprKind::Run {
                    proctype: ident("P"),
                    arguments,
                    priority: priority.map(|n| Box::new(expr(ExprKind::Number(n)))),
                }),
                1 => (place_of(inner.clone()), any::<bool>(), receive_arguments(inner.clone()))
                    .prop_map(|(channel, random, arguments)| ExprKind::Poll { channel, random, arguments }),
                1 => (option::of(boxed.clone()), place_of(inner)).prop_map(|(pid, variable)| {
                    ExprKind::RemoteVariable { proctype: ident("P"), pid, variable }
                }),
                1 => boxed.clone().prop_map(ExprKind::Enabled),
                1 => boxed.clone().prop_map(ExprKind::PcValue),
                1 => boxed.prop_map(ExprKind::GetPriority),
            ]
            .prop_map(expr)
        })
        .boxed()
}

fn any_formula() -> impl Strategy<Value = Expr> {
    any_leaf().prop_recursive(4, 20, 2, |inner| {
        let boxed = inner.prop_map(Box::new);
        let unary = vec![UnaryOp::Always, UnaryOp::Eventually, UnaryOp::Next, UnaryOp::Not];
        let binary = vec![
            BinaryOp::Until,
            BinaryOp::WeakUntil,
            BinaryOp::Release,
            BinaryOp::Implies,
            BinaryOp::Equivalent,
            BinaryOp::And,
            BinaryOp::Or,
        ];
        prop_oneof![
            (prop::sample::select(unary), boxed.clone()).prop_map(|(op, e)| ExprKind::Unary(op, e)),
            (prop::sample::select(binary), boxed.clone(), boxed).prop_map(|(op, l, r)| ExprKind::Binary(op, l, r)),
        ]
        .prop_map(expr)
    })
}

fn receive_arguments(
    value: impl Strategy<Value = Expr> + Clone + 'static,
) -> impl Strategy<Value = Vec<ReceiveArgument>> {
    let kind = prop_oneof![
        place_of(value.clone()).prop_map(ReceiveKind::Place),
        (0..9i32).prop_map(|n| ReceiveKind::Constant(expr(ExprKind::Number(n)))),
        (0..9i32).prop_map(|n| {
            let number = expr(ExprKind::Number(n));
            ReceiveKind::Constant(expr(ExprKind::Unary(UnaryOp::Negate, Box::new(number))))
        }),
        value.prop_map(ReceiveKind::Eval),
        Just(ReceiveKind::Ignore),
    ];
    vec(kind.prop_map(|kind| ReceiveArgument { kind, span: NOWHERE }), 1..4)
}

fn any_place() -> impl Strategy<Value = VarRef> {
    place_of(any_expr())
}

fn any_type() -> impl Strategy<Value = TypeName> {
    prop_oneof![
        prop::sample::select(vec![
            TypeKind::Bit,
            TypeKind::Bool,
            TypeKind::Byte,
            TypeKind::Pid,
            TypeKind::Short,
            TypeKind::Int,
            TypeKind::Chan,
            TypeKind::Mtype(None),
        ]),
        any_ident().prop_map(|kind| TypeKind::Mtype(Some(kind))),
        Just(TypeKind::Record(ident("T"))),
    ]
    .prop_map(|kind| TypeName { kind, span: NOWHERE })
}

fn plain_declarator() -> impl Strategy<Value = Declarator> {
    let init = any_expr().prop_map(|value| Initializer { kind: InitializerKind::Value(value), span: NOWHERE });
    (any_ident(), option::of(any_expr()), option::of(init)).prop_map(|(name, size, init)| Declarator {
        name,
        width: None,
        size,
        init,
        span: NOWHERE,
    })
}

/// Initial values in braces can only stand last.
fn any_declaration() -> impl Strategy<Value = Declaration> {
    let list = vec((0..9i32).prop_map(|n| expr(ExprKind::Number(n))), 1..3).prop_map(InitializerKind::List);
    let channel = (any_expr(), vec(any_type(), 1..3))
        .prop_map(|(capacity, fields)| InitializerKind::Channel { capacity, fields });
    let braced = (any_ident(), prop_oneof![list, channel]).prop_map(|(name, kind)| Declarator {
        name,
        width: None,
        size: None,
        init: Some(Initializer { kind, span: NOWHERE }),
        span: NOWHERE,
    });
    let visibility = option::of(prop::sample::select(vec![Visibility::Hidden, Visibility::Show, Visibility::Local]));
    (visibility, any_type(), vec(plain_declarator(), 1..3), option::of(braced)).prop_map(
        |(visibility, ty, mut variables, last)| {
            variables.extend(last);
            Declaration { visibility, ty, variables, span: NOWHERE }
        },
    )
}

fn simple_statement() -> impl Strategy<Value = StatementKind> {
    prop_oneof![
        // A bare `skip` is a statement of its own.
        any_expr().prop_map(|e| match e.kind {
            ExprKind::Skip => StatementKind::Skip,
            _ => StatementKind::Expr(e),
        }),
        (any_place(), any_expr()).prop_map(|(target, value)| StatementKind::Assign { target, value }),
        any_place().prop_map(StatementKind::Increment),
        any_place().prop_map(StatementKind::Decrement),
        (any_place(), any::<bool>(), vec(any_expr(), 1..3))
            .prop_map(|(channel, sorted, arguments)| StatementKind::Send { channel, sorted, arguments }),
        (any_place(), any::<bool>(), any::<bool>(), receive_arguments(any_expr()))
            .prop_map(|(channel, random, peek, arguments)| StatementKind::Receive { channel, random, peek, arguments }),
        any_expr().prop_map(StatementKind::Assert),
        vec(any_expr(), 0..3).prop_map(|arguments| StatementKind::Printf { format: "a %d\\n".into(), arguments }),
        any_ident().prop_map(StatementKind::Goto),
        prop::sample::select(vec![StatementKind::Skip, StatementKind::Else, StatementKind::Break]),
        (any_place(), any_expr(), any_expr()).prop_map(|(variable, from, to)| StatementKind::Select {
            variable,
            from,
            to
        }),
        vec(any_place(), 1..3).prop_map(|channels| StatementKind::Exclusive { side: Side::Receive, channels }),
        Just(StatementKind::CCode { guard: Some("x".into()), text: " y = 1; ".into() }),
        (any_expr(), any_expr()).prop_map(|(pid, priority)| {
            StatementKind::Expr(expr(ExprKind::SetPriority(Box::new(pid), Box::new(priority))))
        }),
    ]
}

fn labelled((kind, labels): (StatementKind, Vec<Ident>)) -> Statement {
    let mut statement = Statement::new(kind, NOWHERE);
    statement.labels = labels;
    statement
}

fn any_labels() -> impl Strategy<Value = Vec<Ident>> {
    vec(any_ident(), 0..2)
}

fn any_statement() -> impl Strategy<Value = Statement> {
    let simple = (simple_statement(), any_labels()).prop_map(labelled);
    simple.prop_recursive(4, 30, 3, |inner| {
        // What has its own place in a sequence only.
        let escape = (inner.clone(), inner.clone()).prop_map(|(body, escape)| {
            let (body, escape) = (within_unless(body), within_unless(escape));
            Statement::new(StatementKind::Unless { body: Box::new(body), escape: Box::new(escape) }, NOWHERE)
        });
        let declaration = any_declaration().prop_map(|d| Statement::new(StatementKind::Declaration(d), NOWHERE));
        let step = prop_oneof![8 => inner, 1 => escape, 1 => declaration];
        let body = vec(step, 1..4).prop_map(block);
        let kind = prop_oneof![
            body.clone().prop_map(StatementKind::Block),
            body.clone().prop_map(StatementKind::Atomic),
            body.clone().prop_map(StatementKind::DStep),
            vec(body.clone(), 1..3).prop_map(StatementKind::If),
            vec(body.clone(), 1..3).prop_map(StatementKind::Do),
            (any_place(), any_expr(), any_expr(), body.clone())
                .prop_map(|(variable, from, to, body)| StatementKind::ForRange { variable, from, to, body }),
            (any_place(), any_place(), body.clone()).prop_map(|(variable, container, body)| StatementKind::ForIn {
                variable,
                container,
                body
            }),
            (option::of(any_place()), body)
                .prop_map(|(result, body)| { StatementKind::Inlined(Inlined { name: ident("f"), result, body }) }),
        ];
        (kind, any_labels()).prop_map(labelled)
    })
}

/// `a unless b unless c` needs braces, which are a block in the tree.
fn within_unless(statement: Statement) -> Statement {
    match statement.kind {
        StatementKind::Unless { .. } => Statement::new(StatementKind::Block(block(vec![statement])), NOWHERE),
        _ => statement,
    }
}

fn any_body() -> impl Strategy<Value = Block> {
    vec(any_statement(), 1..4).prop_map(block)
}

fn any_item() -> impl Strategy<Value = ItemKind> {
    let constant = (1..9i32).prop_map(|n| expr(ExprKind::Number(n)));
    let parameter = (any_type(), vec(any_ident(), 1..3)).prop_map(|(ty, names)| Declaration {
        visibility: None,
        ty,
        variables: names
            .into_iter()
            .map(|name| Declarator { name, width: None, size: None, init: None, span: NOWHERE })
            .collect(),
        span: NOWHERE,
    });
    let active = option::of(option::of(any_expr()).prop_map(|count| Active { count, span: NOWHERE }));
    prop_oneof![
        any_declaration().prop_map(ItemKind::Global),
        (option::of(any_ident()), vec(any_ident(), 1..4)).prop_map(|(kind, names)| ItemKind::Mtype { kind, names }),
        vec(any_declaration(), 1..3).prop_map(|fields| ItemKind::Typedef { name: ident("T"), fields }),
        (active, any::<bool>(), vec(parameter, 0..3), option::of(constant.clone()), option::of(any_expr()), any_body())
            .prop_map(|(active, deterministic, parameters, priority, provided, body)| {
                let name = ident("P");
                ItemKind::Proctype(Box::new(Proctype {
                    name,
                    active,
                    deterministic,
                    parameters,
                    priority,
                    provided,
                    body,
                }))
            }),
        (option::of(constant), any_body()).prop_map(|(priority, body)| ItemKind::Init { priority, body }),
        (option::of(any_ident()), any_body()).prop_map(|(name, body)| ItemKind::Never { name, body }),
        (any::<bool>(), any_body()).prop_map(|(negated, body)| ItemKind::Trace { negated, body }),
        (option::of(any_ident()), any_formula()).prop_map(|(name, formula)| ItemKind::Ltl { name, formula }),
    ]
}

/// A model that declares `P`, the one name that `P:x` can refer to.
pub fn any_file() -> impl Strategy<Value = File> {
    vec(any_item(), 1..4).prop_map(|kinds| {
        let proctype = Proctype {
            name: ident("P"),
            active: None,
            deterministic: false,
            parameters: Vec::new(),
            priority: None,
            provided: None,
            body: block(vec![Statement::new(StatementKind::Skip, NOWHERE)]),
        };
        let kinds = std::iter::once(ItemKind::Proctype(Box::new(proctype))).chain(kinds);
        File { items: kinds.map(|kind| Item { kind, span: NOWHERE, comment: None }).collect() }
    })
}
