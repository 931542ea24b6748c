// A run as a document of schema pmc-run/1, and what is known after each of its rows.
//
// A row is what the page shows as one step: a statement, with the other side of a rendezvous and the machinery of loops
// that follows it. Position 0 is the initial state, position n the state behind row n.

const SEPARATOR = "\u0000";
const CHECKPOINT = 256;

class Run {
  constructor(data) {
    this.data = data;
    this.processes = data.processes;
    this.names = new Map();
    this.messages = [];
    this.words = new Set();
    this.fold(data.steps);
    this.n = this.rows.length;
    // Each row is one step, and each step one row.
    this.isPlain = this.rows.every((row, index) => row.main.number === index + 1);
    this.cycleStart = typeof data.cycle_start === "number" ? this.behind[data.cycle_start] : null;
    this.spans = data.processes.map((process) => ({
      first: this.behind[process.begins] ?? this.n,
      last: typeof process.ends === "number" ? this.behind[process.ends] ?? this.n : null,
    }));
    const values = new Map();
    for (const value of data.initial.values) values.set(this.key(value), value.value);
    for (const channel of data.initial.channels) values.set(this.key(channel), channelText(channel.messages));
    const places = new Map(data.initial.locations.map((at) => [at.process, at]));
    this.checkpoints = [{ values, places }];
    for (const value of values.values()) this.word(value);
    this.findMessages();
  }

  // Groups steps into rows. `behind[k]` is the number of rows of the first k steps.
  fold(steps) {
    this.rows = [];
    this.behind = [0];
    let claim = [];
    steps.forEach((step, index) => {
      const last = this.rows[this.rows.length - 1];
      const isApart = index === this.data.cycle_start || claim.length > 0 || last === undefined;
      const isPartner = !isApart && step.kind !== "tick" && last.main.partner === step.process && step.partner === last.process && last.main.number === step.number;
      const isMachinery = !isApart && step.folded && last.process === step.process;
      if (step.kind === "claim") {
        // The end says in words what the automaton of a formula has seen.
        if (!this.data.formula) claim.push(step);
      } else if (isPartner || isMachinery) {
        last.also.push(step);
      } else {
        this.rows.push({ main: step, process: step.process ?? null, also: [], claim });
        claim = [];
      }
      this.behind.push(this.rows.length);
    });
    // A claim that moves last has a row of its own.
    if (claim.length > 0) this.rows.push({ main: claim[claim.length - 1], process: null, also: [], claim: claim.slice(0, -1) });
    this.behind[steps.length] = this.rows.length;
    // A move of the claim belongs to the row that follows it.
    for (let k = steps.length; k > 0; k -= 1) {
      if (steps[k - 1].kind === "claim" && k < steps.length) this.behind[k - 1] = Math.min(this.behind[k - 1], this.behind[k]);
    }
    for (const row of this.rows) {
      row.steps = [...row.claim, row.main, ...row.also];
      row.changes = this.merged(row.steps);
      row.next = row.steps.flatMap((step) => step.next ?? []);
      row.printed = row.steps.map((step) => step.printed ?? "").join("");
    }
  }

  // The changes of several steps as one, by key.
  merged(steps) {
    const changes = new Map();
    for (const change of steps.flatMap((step) => step.changes ?? [])) {
      const key = this.key(change);
      changes.set(key, { from: (changes.get(key) ?? change).from ?? null, to: change.to ?? null });
      if (change.to) this.word(change.to);
    }
    for (const [key, change] of changes) if (change.from === change.to) changes.delete(key);
    return changes;
  }

  // Values are kept by process and name.
  key({ process, name }) {
    const key = (process ?? "") + SEPARATOR + name;
    if (!this.names.has(key)) this.names.set(key, { owner: process ?? null, name });
    return key;
  }

  // Every name that occurs as a value, for watch expressions.
  word(value) {
    if (/^[A-Za-z_]\w*$/.test(value)) this.words.add(value);
  }

  // The values and the places of all processes at a position.
  at(position) {
    let from = Math.floor(position / CHECKPOINT);
    while (this.checkpoints[from] === undefined) from -= 1;
    let { values, places } = this.checkpoints[from];
    values = new Map(values);
    places = new Map(places);
    for (let row = from * CHECKPOINT; row < position; row += 1) {
      if (row % CHECKPOINT === 0 && this.checkpoints[row / CHECKPOINT] === undefined) {
        this.checkpoints[row / CHECKPOINT] = { values: new Map(values), places: new Map(places) };
      }
      const { changes, next } = this.rows[row];
      for (const [key, { to }] of changes) if (to === null) values.delete(key); else values.set(key, to);
      for (const at of next) places.set(at.process, at);
    }
    for (const process of places.keys()) if (!this.lives(process, position)) places.delete(process);
    return { values, places };
  }

  changes(position) {
    return position > 0 ? this.rows[position - 1].changes : new Map();
  }

  // Whether a process exists at a position.
  lives(process, position) {
    const { first, last } = this.spans[process];
    return position >= first && (last === null || position < last);
  }

  // Every message as an arrow: from the row that sends it to the one that receives it, if one does.
  findMessages() {
    const waiting = new Map();
    this.rows.forEach((row, index) => {
      for (const { message, process, partner, changes } of row.steps.filter((step) => step.message)) {
        const { channel, direction, rendezvous } = message;
        const text = messageText(message);
        if (!waiting.has(channel)) waiting.set(channel, []);
        const queue = waiting.get(channel);
        if (direction === "send") {
          const to = rendezvous ? partner ?? null : null;
          const arrow = { from: process, to, sent: index + 1, received: to === null ? null : index + 1, channel, text };
          this.messages.push(arrow);
          if (!rendezvous) queue.push(arrow);
        } else if (!rendezvous && (changes ?? []).some((change) => change.name === channel)) {
          // A receive that leaves the message in its channel changes nothing there.
          const found = queue.findIndex((sent) => sent.text === text);
          if (found >= 0) Object.assign(queue.splice(found, 1)[0], { to: process, received: index + 1 });
        }
      }
    });
  }
}

function messageText({ kind, values }) {
  const list = values ?? [];
  return kind ? (list.length > 0 ? `${kind}(${list.join(",")})` : kind) : list.join(",");
}

function channelText(messages) {
  return messages.length === 0 ? "[]" : messages.map((message) => `[${message}]`).join("");
}

function lineOf(place) {
  if (!place || typeof place.line !== "number") return "";
  const file = run.data.files[place.file ?? 0];
  return file === undefined ? `line ${place.line}` : `${file.name}:${place.line}`;
}

function shownText(step) {
  return step.shown || step.text || "";
}

function clockOf(position) {
  const clock = position > 0 ? run.rows[position - 1].main.clock : null;
  return clock === null || clock === undefined ? null : clock;
}

function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

function drawn(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

// A text is always a text node, so nothing that a model says becomes markup.
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}
