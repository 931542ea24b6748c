// The step in words, the source with the current line, the state with its changes.

const KEYWORDS = /^(?:active|assert|atomic|bit|bool|break|byte|chan|d_step|do|else|empty|enabled|eval|false|fi|for|full|goto|hidden|if|in|init|inline|int|len|local|ltl|mtype|nempty|never|nfull|od|of|pid|printf|priority|proctype|provided|return|run|select|short|show|skip|timeout|timer|trace|notrace|true|typedef|unless|unsigned|xr|xs)$/;
const TOKENS = /(\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n]*)|("(?:\\.|[^"\\\n])*")|(#[ \t]*[a-z]+|[A-Za-z_]\w*)/g;
const MOST_ROWS = 1500;
const MOST_NAMES = 3;

class StepPane {
  constructor() {
    this.pane = document.getElementById("step");
  }

  show(position) {
    const parts = [];
    if (position === 0) {
      parts.push(element("span", { class: "who" }, "initial state"));
    } else {
      const row = run.rows[position - 1];
      for (const step of row.steps) this.statement(parts, step);
      if (row.printed) parts.push(element("pre", { class: "printed" }, row.printed));
    }
    if (position === run.n) this.end(parts);
    this.pane.replaceChildren(...parts);
  }

  statement(parts, step) {
    const claim = `claim${run.data.claim ? ` ${run.data.claim}` : ""}`;
    const who = typeof step.process === "number" ? run.processes[step.process].label : step.kind === "claim" ? claim : "all processes";
    const shown = shownText(step) || "nothing can move";
    const faint = (text) => element("span", { class: "at" }, text);
    const written = step.text && step.text !== shown ? faint(`  as written: ${step.text}`) : null;
    const reads = step.reads?.length ? faint(`  with ${step.reads.map(({ name, value }) => `${name} = ${value}`).join(", ")}`) : null;
    parts.push(element("div", { class: `statement${step.folded ? " folded" : ""}` },
      element("span", { class: "who" }, who), faint(` ${lineOf(step)}  `), element("code", { class: "shown" }, shown), written, reads));
  }

  end(parts) {
    const { message, explanation, blocked } = run.data.end;
    if (isViolated()) parts.push(element("div", { class: "bad" }, message));
    const list = (name, items) => items.length > 0 && parts.push(element("ul", { class: name }, ...items));
    list("facts", (explanation ?? []).map((fact) => element("li", {}, ...withCode(fact))));
    list("blocked", (blocked ?? []).map((at) => {
      const waits = at.waits_for ?? [];
      const what = waits.map((one) => element("code", {}, `${one.shown || one.text}${one.why ? ` (${one.why})` : ""}`));
      const words = waits.length === 0 ? " cannot go on" : " waits for ";
      return element("li", {}, `${run.processes[at.process].label} at ${lineOf(at)}${words}`, ...what.flatMap((one, n) => (n > 0 ? [" or ", one] : [one])));
    }));
  }
}

// A text with code between backquotes; one without any is code as a whole, such as `x = 1, expected 2`.
function withCode(text) {
  const parts = text.split("`");
  if (parts.length < 3) return [element("code", {}, text)];
  return parts.map((part, index) => (index % 2 === 1 ? element("code", {}, part) : part));
}

class SourcePane {
  constructor() {
    this.pane = document.getElementById("source");
    this.tabs = document.getElementById("files");
    this.file = null;
    this.marked = [];
  }

  // The texts come with the page; without one the pane names the line all the same.
  text(file) {
    return run.data.files[file]?.text ?? "";
  }

  open(file) {
    if (this.file === file) return;
    this.file = file;
    const lines = highlighted(this.text(file)).map((parts, index) =>
      element("div", { class: "line" }, element("span", { class: "number" }, `${index + 1}`), element("span", { class: "text" }, ...parts), element("span", { class: "pids" })));
    this.pane.replaceChildren(...lines);
    this.marked = [];
    const files = run.data.files;
    this.tabs.replaceChildren(...(files.length < 2 ? [] : files.map(({ name }, index) => {
      const tab = element("button", { type: "button", "aria-pressed": `${index === file}` }, name);
      tab.addEventListener("click", () => { this.open(index); this.mark(this.last); });
      return tab;
    })));
  }

  show(position, state) {
    const row = position > 0 ? run.rows[position - 1] : null;
    const hasPlace = (at) => at && typeof at.line === "number";
    const place = [row?.main, ...(row?.steps ?? []), run.data.initial.locations[0]].find(hasPlace) ?? { file: 0, line: 1 };
    this.open(place.file ?? 0);
    this.last = { row, state, position };
    this.mark(this.last);
    const line = this.pane.children[place.line - 1];
    if (line !== undefined) {
      const top = line.offsetTop - this.pane.offsetTop;
      if (top < this.pane.scrollTop + 20 || top > this.pane.scrollTop + this.pane.clientHeight - 40) {
        this.pane.scrollTop = Math.max(0, top - this.pane.clientHeight / 2);
      }
    }
  }

  // The lines of the step, and where each process goes on.
  mark({ row, state, position }) {
    for (const line of this.marked) {
      line.className = "line";
      line.lastChild.textContent = "";
    }
    this.marked = [];
    const mark = (place, kind) => {
      if (!place || (place.file ?? 0) !== this.file) return null;
      const line = this.pane.children[place.line - 1];
      if (line === undefined) return null;
      line.classList.add(kind);
      this.marked.push(line);
      return line;
    };
    for (const also of row?.also ?? []) mark(also, "also");
    if (row !== null) mark(row.main, "on");
    if (position === run.n && isViolated()) mark(run.data.end.location, "bad");
    const here = new Map();
    for (const [process, place] of state.places) {
      const line = mark(place, "here");
      if (line !== null) here.set(line, [...(here.get(line) ?? []), run.processes[process].label]);
    }
    for (const [line, names] of here) {
      const few = names.length > MOST_NAMES ? [...names.slice(0, MOST_NAMES - 1), `${names.length - MOST_NAMES + 1} more`] : names;
      line.lastChild.textContent = `◂ ${few.join(", ")}`;
      line.lastChild.title = `here: ${names.join(", ")}`;
    }
  }
}

// Lines as lists of nodes; comments and strings may span what they like.
function highlighted(text) {
  const lines = [[]];
  const add = (part, kind) => part.split("\n").forEach((piece, index) => {
    if (index > 0) lines.push([]);
    if (piece !== "") lines[lines.length - 1].push(kind === null ? piece : element("span", { class: kind }, piece));
  });
  let end = 0;
  for (const match of text.matchAll(TOKENS)) {
    const kind = match[1] !== undefined ? "c" : match[2] !== undefined ? "s" : match[3].startsWith("#") || KEYWORDS.test(match[3]) ? "k" : null;
    if (kind === null) continue;
    add(text.slice(end, match.index), null);
    add(match[0], kind);
    end = match.index + match[0].length;
  }
  add(text.slice(end), null);
  if (lines.length > 1 && lines[lines.length - 1].length === 0) lines.pop();
  return lines;
}

class StatePane {
  constructor() {
    this.pane = document.getElementById("values");
    this.filter = document.getElementById("filter");
    this.only = document.getElementById("only");
    this.watches = [];
    const again = () => this.draw();
    this.filter.addEventListener("input", again);
    this.only.addEventListener("change", again);
    document.getElementById("watching").addEventListener("submit", (event) => {
      event.preventDefault();
      const input = document.getElementById("watch");
      if (input.value.trim() !== "") this.watches.push(input.value.trim());
      input.value = "";
      this.draw();
    });
  }

  show(position, state) {
    this.position = position;
    this.state = state;
    this.draw();
  }

  draw() {
    const changes = run.changes(this.position);
    const wanted = this.filter.value.trim().toLowerCase();
    const groups = new Map([[null, []]]);
    run.processes.forEach((_, process) => { if (run.lives(process, this.position)) groups.set(process, []); });
    const add = (key, value) => {
      const { owner, name } = run.names.get(key);
      const change = changes.get(key);
      if (wanted !== "" && !name.toLowerCase().includes(wanted)) return;
      if (this.only.checked && change === undefined) return;
      if (!groups.has(owner)) groups.set(owner, []);
      groups.get(owner).push({ name, value, change });
    };
    for (const [key, value] of this.state.values) add(key, value);
    for (const [key, change] of changes) if (change.to === null) add(key, null);
    const table = element("table");
    this.watched(table);
    let left = MOST_ROWS;
    let dropped = 0;
    for (const [owner, rows] of groups) {
      if (owner === null && rows.length === 0) continue;
      const place = this.state.places.get(owner);
      if (owner !== null && (wanted !== "" || this.only.checked) && rows.length === 0) continue;
      const name = owner === null ? "globals" : run.processes[owner].label;
      table.append(element("tr", {}, element("th", { colspan: 2 }, name, place ? element("span", { class: "at" }, ` at ${lineOf(place)}`) : null)));
      for (const row of rows.slice(0, left)) table.append(this.row(row));
      dropped += Math.max(0, rows.length - left);
      left = Math.max(0, left - rows.length);
    }
    const more = dropped === 0 ? null : element("div", { class: "more" }, `${dropped} more values: filter by name`);
    const scroll = this.pane.scrollTop;
    this.pane.replaceChildren(...[table, more].filter((part) => part !== null));
    this.pane.scrollTop = scroll;
  }

  row({ name, value, change }) {
    const before = change !== undefined && change.from !== null ? element("del", {}, change.from) : null;
    const kind = value === null ? "gone" : change !== undefined ? "changed" : "";
    const shown = value === null ? [before] : [before, element("span", { class: "value" }, value)];
    return element("tr", { class: kind }, element("td", {}, name), element("td", {}, ...shown));
  }

  watched(table) {
    if (this.watches.length === 0) return;
    table.append(element("tr", {}, element("th", { colspan: 2 }, "watched")));
    this.watches.forEach((expression, index) => {
      const drop = element("button", { type: "button", class: "drop", title: "no longer watch this" }, "×");
      drop.addEventListener("click", () => { this.watches.splice(index, 1); this.draw(); });
      const [value, before] = [this.position, this.position - 1].map((position) => watch(expression, position));
      const changed = this.position > 0 && value.text !== before.text && value.wrong === undefined;
      const shown = value.wrong === undefined ? element("span", { class: "value" }, value.text) : element("span", { class: "wrong" }, value.wrong);
      const old = changed && before.wrong === undefined ? element("del", {}, before.text) : null;
      table.append(element("tr", { class: `watch${changed ? " changed" : ""}` }, element("td", {}, drop, expression), element("td", {}, old, shown)));
    });
  }
}
