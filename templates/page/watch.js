// Watch expressions: Promela's operators over the values that the page shows.
//
// A name is a global, or a local of the process that moved last; `proctype:name` or `proctype[pid]:name` is the local of
// that process, as in a formula. `len(q)`, `empty(q)` and `nempty(q)` count the messages of a channel as it is shown.

const OPERATORS = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["<", ">", "<=", ">="], ["<<", ">>"], ["+", "-"], ["*", "/", "%"]];
const LEXEMES = /\s*(?:(\d+)|([A-Za-z_]\w*)|(\|\||&&|==|!=|<=|>=|<<|>>|->|[-+*\/%<>!~&|^()\[\].,:?]))/y;

function watch(expression, position) {
  if (position < 0) return { text: "" };
  try {
    const value = new Watch(expression, position).whole();
    return { text: typeof value === "number" ? `${value}` : value };
  } catch (error) {
    if (!(error instanceof WatchError)) throw error;
    return { text: "", wrong: error.message };
  }
}

class WatchError extends Error {}

function plain(value) {
  return value === "true" ? "1" : value === "false" ? "0" : `${value}`;
}

class Watch {
  constructor(expression, position) {
    this.values = run.at(position).values;
    this.position = position;
    this.tokens = [];
    LEXEMES.lastIndex = 0;
    while (LEXEMES.lastIndex < expression.trimEnd().length) {
      const at = LEXEMES.lastIndex;
      const match = LEXEMES.exec(expression);
      if (match === null) throw new WatchError(`cannot read \`${expression.slice(at).trim()}\``);
      this.tokens.push(match[1] ?? match[2] ?? match[3]);
    }
    this.next = 0;
  }

  whole() {
    const value = this.conditional();
    if (this.next < this.tokens.length) throw new WatchError(`\`${this.tokens[this.next]}\` is one too many`);
    return value;
  }

  eat(token) {
    if (this.tokens[this.next] !== token) return false;
    this.next += 1;
    return true;
  }

  expect(token) {
    if (!this.eat(token)) throw new WatchError(`\`${token}\` is missing`);
  }

  // Promela writes `(condition -> one : other)`.
  conditional() {
    const value = this.binary(0);
    if (!this.eat("->") && !this.eat("?")) return value;
    const one = this.conditional();
    this.expect(":");
    const other = this.conditional();
    return this.number(value) !== 0 ? one : other;
  }

  binary(level) {
    if (level === OPERATORS.length) return this.unary();
    let left = this.binary(level + 1);
    for (;;) {
      const operator = this.tokens[this.next];
      if (!OPERATORS[level].includes(operator)) return left;
      this.next += 1;
      left = this.apply(operator, left, this.binary(level + 1));
    }
  }

  apply(operator, left, right) {
    // Names of messages can be compared, and nothing else.
    if (operator === "==" || operator === "!=") return Number((plain(left) === plain(right)) === (operator === "=="));
    const [a, b] = [this.number(left), this.number(right)];
    if ((operator === "/" || operator === "%") && b === 0) throw new WatchError("division by zero");
    switch (operator) {
      case "||": return Number(a !== 0 || b !== 0);
      case "&&": return Number(a !== 0 && b !== 0);
      case "|": return a | b;
      case "^": return a ^ b;
      case "&": return a & b;
      case "<": return Number(a < b);
      case ">": return Number(a > b);
      case "<=": return Number(a <= b);
      case ">=": return Number(a >= b);
      case "<<": return a << b;
      case ">>": return a >> b;
      case "+": return (a + b) | 0;
      case "-": return (a - b) | 0;
      case "*": return Math.imul(a, b);
      case "/": return Math.trunc(a / b) | 0;
      default: return a % b | 0;
    }
  }

  number(value) {
    const number = Number(plain(value));
    if (!Number.isInteger(number)) throw new WatchError(`\`${value}\` is no number`);
    return number;
  }

  unary() {
    if (this.eat("!")) return Number(this.number(this.unary()) === 0);
    if (this.eat("~")) return ~this.number(this.unary());
    if (this.eat("-")) return -this.number(this.unary()) | 0;
    if (this.eat("(")) {
      const value = this.conditional();
      this.expect(")");
      return value;
    }
    const token = this.tokens[this.next];
    if (token === undefined) throw new WatchError("something is missing at the end");
    this.next += 1;
    if (/^\d/.test(token)) return Number(token);
    if (!/^[A-Za-z_]/.test(token)) throw new WatchError(`\`${token}\` is out of place`);
    if (["len", "empty", "nempty"].includes(token) && this.eat("(")) return this.channel(token);
    return this.variable(token);
  }

  channel(what) {
    const text = this.lookUp(this.path(this.tokens[this.next++] ?? ""), null);
    this.expect(")");
    if (text === undefined || !/^\[/.test(text)) throw new WatchError("this is no channel with messages");
    const length = text === "[]" ? 0 : text.split("][").length;
    return what === "len" ? length : Number((length === 0) === (what === "empty"));
  }

  variable(name) {
    if (name === "true" || name === "false") return Number(name === "true");
    const start = this.next;
    const owner = this.owner(name);
    if (owner === null) this.next = start;
    const path = owner === null ? this.path(name) : this.path(this.tokens[this.next++] ?? "");
    const value = this.lookUp(path, owner);
    if (value !== undefined) return /^-?\d+$/.test(value) ? Number(value) : value;
    // The name of a message.
    if (owner === null && path === name && this.isMessage(name)) return name;
    throw new WatchError(`there is no \`${path}\` here`);
  }

  // `node:` or `node[1]:` in front of a name.
  owner(name) {
    const known = run.processes.some((process) => process.name === name);
    if (!known) return null;
    let pid = null;
    if (this.eat("[")) {
      pid = this.number(this.conditional());
      this.expect("]");
    }
    if (!this.eat(":")) return null;
    const owner = run.processes.findIndex((process, index) =>
      process.name === name && (pid === null || process.pid === pid) && run.lives(index, this.position));
    if (owner < 0) throw new WatchError(`there is no such process \`${name}\` now`);
    return owner;
  }

  // `a[i + 1].f` with its indexes evaluated, as values are named.
  path(name) {
    let path = name;
    for (;;) {
      if (this.eat("[")) {
        path += `[${this.number(this.conditional())}]`;
        this.expect("]");
      } else if (this.eat(".")) {
        path += `.${this.tokens[this.next++] ?? ""}`;
      } else {
        return path;
      }
    }
  }

  lookUp(path, owner) {
    if (owner !== null) return this.values.get(owner + SEPARATOR + path);
    const mover = this.position > 0 ? run.rows[this.position - 1].process : null;
    const local = mover === null ? undefined : this.values.get(mover + SEPARATOR + path);
    return local ?? this.values.get(SEPARATOR + path);
  }

  isMessage(name) {
    return run.words.has(name);
  }
}
