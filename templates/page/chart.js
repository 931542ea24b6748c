// The sequence chart: a column for each process, a row for each step, an arrow for each message.
//
// Only the rows in sight are drawn, so that a run of many thousand steps scrolls as a short one does.

const ROW = 30;
const GUTTER = 58;
const CHARACTER = 7.25;
const OVERSCAN = 12;

class Chart {
  constructor(goTo) {
    this.pane = document.getElementById("chart");
    this.heads = document.getElementById("heads");
    this.rows = document.getElementById("rows");
    this.pending = false;
    this.position = 0;
    this.pane.addEventListener("scroll", () => this.later());
    new ResizeObserver(() => { this.measure(); this.draw(); }).observe(this.pane);
    this.rows.addEventListener("click", (event) => {
      const row = Math.floor((event.clientY - this.rows.getBoundingClientRect().top) / ROW);
      goTo(Math.max(0, Math.min(run.n, row)));
    });
  }

  // One row for the initial state, one for each step, one for the end.
  measure() {
    const n = Math.max(1, run.processes.length);
    const room = this.pane.clientWidth - GUTTER - 8;
    this.column = Math.max(116, Math.min(330, (room - 20) / n));
    this.width = Math.max(room + GUTTER, GUTTER + n * this.column + 20);
    this.rows.style.height = `${(run.n + 2) * ROW}px`;
    this.rows.style.width = this.heads.style.width = `${this.width}px`;
    this.heads.replaceChildren(...run.processes.map((process, index) => element("div", {
      style: `left:${GUTTER + index * this.column}px;width:${this.column}px`,
      title: `${process.label}, process ${process.pid}`,
    }, process.label, ...(process.label.includes("pid=") ? [] : [element("br"), `pid ${process.pid}`]))));
  }

  x(process) {
    return GUTTER + process * this.column + Math.min(26, this.column / 5);
  }

  y(row) {
    return row * ROW + ROW / 2;
  }

  later() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => { this.pending = false; this.draw(); });
  }

  show(position) {
    this.position = position;
    const top = position * ROW;
    const shown = this.pane.clientHeight - this.heads.offsetHeight;
    if (top < this.pane.scrollTop + ROW || top > this.pane.scrollTop + shown - 3 * ROW) {
      this.pane.scrollTop = Math.max(0, top - shown / 2);
    }
    const mover = position > 0 ? run.rows[position - 1].process : null;
    if (mover !== null) {
      const left = this.x(mover) - GUTTER;
      if (left < this.pane.scrollLeft || left > this.pane.scrollLeft + this.pane.clientWidth - GUTTER - this.column) {
        this.pane.scrollLeft = Math.max(0, left - this.column);
      }
    }
    this.draw();
  }

  draw() {
    const from = Math.max(0, Math.floor(this.pane.scrollTop / ROW) - OVERSCAN);
    const to = Math.min(run.n + 1, Math.ceil((this.pane.scrollTop + this.pane.clientHeight) / ROW) + OVERSCAN);
    const height = (to - from + 1) * ROW;
    const svg = drawn("svg", { width: this.width, height, viewBox: `0 ${from * ROW} ${this.width} ${height}` });
    svg.style.top = `${from * ROW}px`;
    svg.append(drawn("rect", { class: "row-on", x: 0, y: this.position * ROW, width: this.width, height: ROW }));
    this.lives(svg, from, to);
    for (const arrow of run.messages) {
      if (arrow.sent <= to && (arrow.received ?? arrow.sent) >= from) this.arrow(svg, arrow);
    }
    for (let row = Math.max(1, from); row <= Math.min(run.n, to); row += 1) this.step(svg, row);
    this.gutter(svg, from, to);
    if (to === run.n + 1) this.end(svg);
    this.rows.replaceChildren(svg);
    const moving = new Set(this.position > 0 ? run.rows[this.position - 1].steps.map((step) => step.process) : []);
    [...this.heads.children].forEach((head, process) => {
      head.classList.toggle("on", moving.has(process));
      head.classList.toggle("over", !run.lives(process, this.position));
    });
  }

  lives(svg, from, to) {
    run.spans.forEach(({ first: begins, last: ends }, index) => {
      const first = Math.max(begins, from);
      const last = Math.min(ends ?? run.n + 0.5, to + 1);
      if (first > last) return;
      const x = this.x(index);
      svg.append(drawn("line", { class: "life", x1: x, x2: x, y1: this.y(first), y2: this.y(last) }));
      if (ends !== null && last === ends) {
        svg.append(drawn("line", { class: "ending", x1: x - 7, x2: x + 7, y1: this.y(last) + 11, y2: this.y(last) + 11 }));
      }
      if (begins > 0 && begins >= from) svg.append(drawn("circle", { class: "box", cx: x, cy: this.y(begins), r: 4 }));
    });
  }

  step(svg, at) {
    const row = run.rows[at - 1];
    const isOn = at === this.position;
    const group = drawn("g", at > this.position ? { class: "later" } : {});
    if (row.process === null) {
      const text = shownText(row.main) || "no process can move: the state stays as it is";
      // What happens to all processes, as time that passes, is a line across.
      const y = at * ROW + ROW - 8;
      group.append(drawn("line", { class: "across", x1: GUTTER + 8, x2: this.width - 12, y1: y, y2: y }));
      group.append(drawn("text", { class: `label folded${isOn ? " on" : ""}`, x: GUTTER + 8, y: at * ROW + 14 }, text));
    }
    const marked = new Set();
    for (const step of [row.main, ...row.also]) {
      // A process has one box in a row, whatever machinery follows its statement.
      if (typeof step.process !== "number" || marked.has(step.process)) continue;
      marked.add(step.process);
      this.mark(group, step.process, at, shownText(step), { isOn, isBad: row.steps.some((one) => one.failed), folded: step.folded });
    }
    svg.append(group);
  }

  // A box on the line of a process, and the statement beside it.
  mark(group, process, row, text, { isOn, isBad, folded }) {
    const x = this.x(process);
    const y = row * ROW;
    group.append(drawn("rect", { class: `box${isOn ? " on" : ""}${isBad ? " bad" : ""}`, x: x - 4, y: y + 5, width: 8, height: ROW - 10, rx: 2 }));
    // The line of the next process is so far away.
    const room = Math.floor((this.column - 20) / CHARACTER);
    const characters = [...text];
    const shown = isOn || characters.length <= room ? text : `${characters.slice(0, Math.max(1, room - 1)).join("")}…`;
    if (isOn) group.append(drawn("rect", { class: "plate", x: x + 6, y: y + 2, width: characters.length * CHARACTER + 6, height: 16 }));
    group.append(drawn("text", { class: `label${isOn ? " on" : ""}${folded ? " folded" : ""}`, x: x + 8, y: y + 14 }, shown, drawn("title", {}, text)));
  }

  arrow(svg, arrow) {
    if (arrow.from === null || arrow.from === undefined) return;
    const isLater = arrow.sent > this.position;
    const group = drawn("g", isLater ? { class: "later" } : {});
    const y1 = arrow.sent * ROW + ROW - 8;
    const x1 = this.x(arrow.from);
    if (arrow.to === null || arrow.to === undefined) {
      // Still in its channel at the end of the run, or lost.
      group.append(drawn("line", { class: "arrow open", x1, x2: x1 + 26, y1, y2: y1 }));
      group.append(drawn("circle", { class: "tip", cx: x1 + 29, cy: y1, r: 3 }));
    } else if (arrow.to === arrow.from) {
      const y2 = arrow.received * ROW + ROW - 8;
      const bottom = arrow.received === arrow.sent ? y1 + 4 : y2;
      group.append(drawn("path", { class: "arrow", d: `M${x1} ${y1} C${x1 - 22} ${y1} ${x1 - 22} ${bottom} ${x1 - 4} ${bottom}` }));
      group.append(this.tip(x1 - 4, bottom, 0));
    } else {
      const y2 = arrow.received * ROW + ROW - 8;
      const x2 = this.x(arrow.to);
      const side = x2 > x1 ? 1 : -1;
      group.append(drawn("line", { class: "arrow", x1: x1 + 4 * side, x2: x2 - 9 * side, y1, y2 }));
      group.append(this.tip(x2 - 4 * side, y2, Math.atan2(y2 - y1, x2 - x1)));
    }
    group.append(drawn("title", {}, `${arrow.channel}: ${arrow.text}`));
    svg.append(group);
  }

  tip(x, y, angle) {
    const degrees = (angle * 180) / Math.PI;
    return drawn("path", { class: "tip", d: "M0 0 L-8 -4 L-8 4 Z", transform: `translate(${x} ${y}) rotate(${degrees})` });
  }

  // The numbers of steps, which stay in sight, and the cycle.
  gutter(svg, from, to) {
    const left = this.pane.scrollLeft;
    const group = drawn("g", { transform: `translate(${left} 0)` });
    group.append(drawn("rect", { class: "gutter", x: 0, y: from * ROW, width: GUTTER - 4, height: (to - from + 1) * ROW }));
    group.append(drawn("rect", { class: "row-on", x: 0, y: this.position * ROW, width: GUTTER - 4, height: ROW }));
    for (let row = from; row <= Math.min(run.n, to); row += 1) {
      const clock = clockOf(row);
      // Statements of one step have one number.
      const isSame = row > 1 && run.rows[row - 2].main.number === run.rows[row - 1].main.number;
      const number = row === 0 ? "start" : isSame ? "·" : `${run.rows[row - 1].main.number}${clock === null ? "" : ` @${clock}`}`;
      group.append(drawn("text", { class: "number", x: GUTTER - 18, y: this.y(row) + 4 }, number));
    }
    if (run.cycleStart !== null) {
      const top = (run.cycleStart + 1) * ROW + 3;
      const bottom = (run.n + 1) * ROW + ROW / 2;
      group.append(drawn("path", { class: "cycle", d: `M${GUTTER - 2} ${bottom} H${GUTTER - 12} V${top + 8} H${GUTTER - 8}` }));
      group.append(drawn("path", { class: "cycle-tip", d: "M0 0 L-8 -4 L-8 4 Z", transform: `translate(${GUTTER - 2} ${top + 8})` }));
    }
    svg.append(group);
  }

  end(svg) {
    const y = (run.n + 1) * ROW;
    const x = this.pane.scrollLeft + GUTTER;
    if (run.cycleStart !== null) {
      svg.append(drawn("rect", { class: "cycle-back", x, y: y + 2, width: this.width, height: ROW - 4 }));
      const again = run.rows[run.cycleStart]?.main.number ?? run.cycleStart + 1;
      svg.append(drawn("text", { class: "cycle-text", x: x + 8, y: y + 20 }, `and again from step ${again}, for ever`));
    } else {
      const isBad = isViolated();
      svg.append(drawn("text", { class: `end${isBad ? " bad" : ""}`, x: x + 8, y: y + 20 }, run.data.end.message || goesOn()));
    }
  }
}

function goesOn() {
  return run.data.explore ? "choose the next step at the right" : "the run goes on";
}

function isViolated() {
  return run.data.end.kind !== "none";
}
