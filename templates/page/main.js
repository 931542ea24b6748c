// The page: one position in a run, which every part shows.

let run = new Run(JSON.parse(document.getElementById("data").textContent));
let position = 0;
let rounds = 0;

const byId = (id) => document.getElementById(id);
const chart = new Chart((to) => goTo(to));
const parts = [new StepPane(), new SourcePane(), new StatePane()];

function goTo(to, isAgain = false) {
  const last = position;
  position = Math.max(0, Math.min(run.n, to));
  if (!isAgain && position !== last) rounds = 0;
  show();
}

// At the end of a cycle its first step follows.
function forward(n = 1) {
  for (let left = n; left > 0; left -= 1) {
    if (position < run.n) position += 1;
    else if (run.cycleStart !== null) { position = run.cycleStart + 1; rounds += 1; }
  }
  show();
}

function backward(n = 1) {
  for (let left = n; left > 0; left -= 1) {
    if (rounds > 0 && position === run.cycleStart + 1) { position = run.n; rounds -= 1; }
    else if (position > 0) position -= 1;
  }
  show();
}

// The next or the previous step of the process that moved last.
function sameProcess(direction) {
  const mover = run.rows[Math.max(0, position - 1)]?.process;
  for (let at = position + direction; at > 0 && at <= run.n; at += direction) {
    if (run.rows[at - 1].process === mover) return goTo(at);
  }
}

function show() {
  const state = run.at(position);
  chart.show(position);
  for (const part of parts) part.show(position, state);
  byId("slider").max = run.n;
  byId("slider").value = position;
  byId("first").disabled = byId("back").disabled = position === 0;
  byId("last").disabled = position === run.n;
  byId("next").disabled = position === run.n && run.cycleStart === null;
  const inCycle = run.cycleStart !== null && position > run.cycleStart;
  const clock = clockOf(position);
  const around = inCycle ? `, in the cycle${rounds > 0 ? ` (time ${rounds + 1})` : ""}` : "";
  byId("where").textContent = `${placeOf(position)}${clock === null ? "" : `, time ${clock}`}${around}`;
  document.body.dataset.position = position;
  const band = byId("band");
  band.hidden = run.cycleStart === null;
  if (run.cycleStart !== null && run.n > 0) {
    band.style.left = `${(100 * run.cycleStart) / run.n}%`;
    band.style.right = "0";
  }
  history.replaceState(null, "", hash());
  exploring?.show();
}

// Several statements can be one step: then both are counted, since reports count steps.
function placeOf(at) {
  const number = (row) => run.rows[row - 1]?.main.number ?? 0;
  if (run.isPlain || run.data.explore) return `step ${at} of ${run.n}`;
  return `step ${number(at)} of ${number(run.n)}, row ${at} of ${run.n}`;
}

function title() {
  const { model, claim, end } = run.data;
  document.title = `${model}${isViolated() ? " violated" : ""}`;
  byId("model").textContent = model;
  byId("verdict").textContent = isViolated() ? `${claim ? `${claim}: ` : ""}${end.message}` : end.message;
  byId("verdict").classList.toggle("bad", isViolated());
}

// A link can name the step and the theme: `run.html#step=5&theme=dark`.
function hash() {
  const theme = document.documentElement.dataset.theme;
  return `#step=${position}${theme ? `&theme=${theme}` : ""}`;
}

function setTheme(theme) {
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}

function toggleTheme() {
  const isDark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  setTheme(isDark ? "light" : "dark");
  history.replaceState(null, "", hash());
}

function obey(hashText) {
  const wanted = new URLSearchParams(hashText.slice(1));
  setTheme(wanted.get("theme"));
  const step = wanted.get("step");
  const at = step === "cycle" ? run.cycleStart ?? run.n : step === null ? 0 : step === "end" ? run.n : Number(step);
  goTo(Number.isInteger(at) ? at : 0);
}

const KEYS = {
  ArrowRight: () => forward(), l: () => forward(), ArrowLeft: () => backward(), h: () => backward(),
  ArrowDown: () => forward(), ArrowUp: () => backward(),
  PageDown: () => goTo(position + 10), PageUp: () => goTo(position - 10),
  Home: () => goTo(0), End: () => goTo(run.n),
  c: () => { if (run.cycleStart !== null) goTo(run.cycleStart); },
  n: () => sameProcess(1), p: () => sameProcess(-1),
  "/": () => byId("filter").focus(), t: toggleTheme, "?": () => byId("keys").showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || byId("keys").open) return;
  const inText = event.target.matches("input:not([type=range]):not([type=checkbox])");
  if (inText) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  // A button that has the focus is pressed by Enter itself.
  if (event.key === "Enter" && event.target.matches("button")) return;
  const act = KEYS[event.key];
  if (act === undefined) return;
  event.preventDefault();
  act();
});
byId("first").addEventListener("click", () => goTo(0));
byId("back").addEventListener("click", () => backward());
byId("next").addEventListener("click", () => forward());
byId("last").addEventListener("click", () => goTo(run.n));
byId("slider").addEventListener("input", (event) => goTo(Number(event.target.value)));
byId("theme").addEventListener("click", toggleTheme);
byId("help").addEventListener("click", () => byId("keys").showModal());
window.addEventListener("hashchange", () => obey(location.hash));

title();
const exploring = run.data.explore ? new Explore() : null;
chart.measure();
obey(location.hash);
