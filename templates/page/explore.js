// Walking by hand: the server of `pmc explore` knows the model, the page shows the run so far and what can follow.

class Explore {
  constructor() {
    this.asked = 0;
    this.verdict = "";
    this.isSearching = false;
    this.hasGraph = false;
    document.body.classList.add("exploring");
    byId("explore").hidden = false;
    byId("undo").addEventListener("click", () => this.undo());
    byId("any").addEventListener("click", () => this.any());
    byId("restart").addEventListener("click", () => this.change("back", { at: 0 }));
    byId("search").addEventListener("click", () => this.search());
    byId("around").addEventListener("click", () => this.toggleGraph());
    Object.assign(KEYS, { u: () => this.undo(), Enter: () => this.any() });
    for (let digit = 1; digit <= 9; digit += 1) KEYS[digit] = () => this.take(digit - 1);
  }

  async ask(method, path, body) {
    const options = { method };
    if (body !== undefined) Object.assign(options, { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } });
    let answer;
    try {
      answer = await fetch(path, options);
    } catch {
      throw new Error("`pmc explore` does not answer: was it ended?");
    }
    const text = await answer.text();
    if (!answer.ok) throw new Error(text.trim());
    return JSON.parse(text);
  }

  notice(text) {
    byId("notice").textContent = text;
  }

  // The number of steps and ticks up to a position: what follows is chosen behind whole steps.
  moves(at) {
    if (at === 0) return 0;
    // Several ticks may be one move.
    const ticks = run.rows.slice(0, at).filter((row) => row.main.kind === "tick");
    return run.rows[at - 1].main.number + ticks.length;
  }

  async show() {
    const asked = ++this.asked;
    const at = this.moves(position);
    // Those of the position before are no choices here.
    this.choices = undefined;
    delete document.body.dataset.choices;
    byId("undo").disabled = byId("restart").disabled = at === 0;
    if (this.hasGraph) this.graph(at);
    try {
      const { choices, message } = await this.ask("GET", `choices?at=${at}`);
      // An answer for a position that was left meanwhile is dropped.
      if (asked !== this.asked) return;
      this.choices = choices;
      this.at = at;
      byId("any").disabled = choices.length === 0;
      byId("choices").replaceChildren(...choices.map((choice, index) => this.button(choice, index)));
      if (!this.isSearching) this.notice([this.verdict, message].filter(Boolean).join("; "));
      document.body.dataset.choices = choices.length;
    } catch (error) {
      if (asked === this.asked) this.notice(error.message);
    }
  }

  button(choice, index) {
    const button = element("button", { type: "button", title: `${lineOf(choice)} ${choice.text}` },
      element("span", { class: "key" }, index < 9 ? `${index + 1}` : ""),
      element("span", { class: "who" }, this.mover(choice.pid)),
      element("code", { class: choice.fails ? "fails" : "" }, choice.text + (choice.fails ? "  (fails)" : "")));
    button.addEventListener("click", () => this.take(index));
    return element("li", {}, button);
  }

  // A pid is used again: the process that has it now.
  mover(pid) {
    if (pid === null) return "all processes";
    const process = run.processes.findLast((one, index) => one.pid === pid && run.lives(index, position));
    return process?.label ?? `process ${pid}`;
  }

  take(index) {
    if (this.choices?.[index] !== undefined) this.change("step", { at: this.at, choice: index });
  }

  any() {
    const n = this.choices?.length ?? 0;
    if (n > 0) this.take(Math.floor(Math.random() * n));
  }

  undo() {
    const at = this.moves(position);
    if (at > 0) this.change("back", { at: at - 1 });
  }

  // One change at a time, so that a second click is not lost to an older answer.
  async change(path, body) {
    if (this.isBusy) return;
    this.isBusy = true;
    this.verdict = "";
    try {
      this.replace(await this.ask("POST", path, body));
    } catch (error) {
      this.notice(error.message);
    } finally {
      this.isBusy = false;
    }
  }

  replace(data) {
    run = new Run(data);
    parts.forEach((part) => part.renew?.());
    rounds = 0;
    chart.measure();
    title();
    goTo(run.n);
  }

  async search() {
    if (this.isSearching) {
      await this.ask("POST", "stop", {}).catch(() => {});
      return;
    }
    this.isSearching = true;
    byId("search").textContent = "stop the search";
    this.notice("searching …");
    try {
      const { message, run: found } = await this.ask("POST", "search", {});
      if (found) this.replace(found);
      this.verdict = message;
    } catch (error) {
      this.verdict = error.message;
    }
    this.isSearching = false;
    byId("search").textContent = "find a violation";
    document.body.dataset.searched = "yes";
    this.notice(this.verdict);
  }

  toggleGraph() {
    this.hasGraph = !this.hasGraph;
    byId("graph").hidden = !this.hasGraph;
    if (this.hasGraph) this.graph(this.moves(position));
  }

  // An image cannot do anything, whatever is in it.
  graph(at) {
    const seen = run.rows.slice(0, position).map((row) => `${row.main.number}.${row.process}.${row.main.text}`).join();
    let hash = 0;
    for (const character of seen) hash = (Math.imul(hash, 31) + character.codePointAt(0)) | 0;
    byId("graph").replaceChildren(element("img", { src: `graph.svg?at=${at}&of=${hash >>> 0}`, alt: "the states around this one" }));
  }
}
