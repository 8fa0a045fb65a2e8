// The playground runs the settings in two workers, and draws the results.

import { h } from "../page/front/dom";
import { digits } from "../page/front/format";
import { course, distribution, finding, names, Pair, responses, Swept, table } from "./figures";
import { Job, Runner } from "./runner";
import { apply, arrivalNames, bounds, command, decode, encode, first, laws, metrics, mostQueue, Preset,
  presets, request, Settings, utilisation } from "./settings";
import { Answer, Choice } from "./worker";

// A run of quickTasks is nearly immediate. A run of tasks follows.
const tasks = 20_000;
const quickTasks = 2_000;
const sweepTasks = 5_000;
const loads = [80, 40, 95, 60, 90, 20, 105, 70];
const pause = 120; // ms after the last change

const byId = (id: string): HTMLElement => document.getElementById(id)!;

let s: Settings = decode(location.hash) ?? structuredClone(first);
let preset: Preset | null = location.hash.length > 1 ? null : presets[0]!;
let choices: Choice[] = [];
let pair: Pair = [null, null];
let pairTasks = [0, 0];
let swept: [Swept[], Swept[]] = [[], []];
let idle = [false, false];
let problem = "";

const answer = byId("answer");
const heading = h("h2", { id: "finding", "aria-live": "polite" }, "Loading the pools …");
const figures = h("div");
const status = h("p", { class: "status", role: "status" });
const doubt = h("p", { class: "doubt" });
const claim = h("div", { class: "claim", hidden: true });
answer.append(heading, figures, status, doubt, claim);

function show(): void {
  answer.classList.remove("stale");
  answer.setAttribute("aria-busy", "false");
  heading.replaceChildren(...finding(s, pair));
  figures.replaceChildren(table(s, pair));
  const done = Math.min(...pairTasks);
  const left = idle.every((x) => x) ? "" : " Refining …";
  status.textContent = problem || (done === 0 ? "" : `${done.toLocaleString("en")} simulated tasks on each side, the first tenth as warm-up.${left}`);
  const doubts = pair.flatMap((a, i) => (a && a.verdict !== "VALID" ? [`${names(s)[i]} is ${a.verdict}: ${a.reasons[0] ?? ""}.`] : []));
  doubt.textContent = [...new Set(doubts)].join(" ");
  claim.hidden = !preset;
  if (preset) {
    claim.replaceChildren(h("p", {}, `“${preset.claim}” ${preset.answer}`));
    if (preset.study) claim.append(h("p", {}, "In many settings: ", h("code", {}, `poolbench study ${preset.study} --quick`)));
  }
}

function showCommand(): void {
  const lines = command(s, tasks);
  const copied = h("span", { role: "status" });
  const copy = (text: string, said: string): void => {
    navigator.clipboard.writeText(text).then(() => (copied.textContent = said), () => (copied.textContent = "The browser denied access to the clipboard."));
  };
  byId("shell").replaceChildren(h("h2", {}, "The same in a shell"), h("pre", { id: "command", tabindex: 0 }, lines.join("\n")),
    h("div", { class: "choices" },
      h("button", { type: "button", click: () => copy(lines.join("\n"), "Copied.") }, "Copy"),
      h("button", { type: "button", click: () => copy(location.href, "Link copied.") }, "Copy a link to these settings"), copied));
}

function drawCharts(): void {
  const box = byId("charts");
  const width = Math.floor(box.clientWidth);
  const half = width >= 880 ? Math.floor((width - 32) / 2) : width;
  box.replaceChildren(responses(s, swept, width), course(s, pair, half), distribution(s, pair, half));
}

let frame = 0;
function drawSoon(): void {
  if (!problem && runners.length > 0 && pair.includes(null)) return;
  show();
  cancelAnimationFrame(frame);
  frame = requestAnimationFrame(drawCharts);
}

let runners: Runner[] = [];

let asked = 0; // number of changes of the settings

function jobsOf(side: number): Job[] {
  const mine = asked;
  const fail = (a: Answer): boolean => {
    if (a.error) problem = `${names(s)[side]}: ${a.error}`;
    return !!a.error;
  };
  const main = (n: number): Job => ({ request: request(s, side, s.load, n), then: (a) => {
    if (fail(a)) return drawSoon();
    pair[side] = a;
    pairTasks[side] = n;
    put(s.load, a);
    drawSoon();
  } });
  const put = (load: number, a: Answer): void => {
    swept[side] = [...swept[side]!.filter((p) => p.load !== load), { load, answer: a }];
  };
  const sweep = (n: number): Job[] => loads.filter((l) => l !== s.load).map((load) => ({
    request: request(s, side, load, n), then: (a) => {
      if (!a.error) put(load, a);
      drawSoon();
    } }));
  // a late result belongs to earlier settings
  return [main(quickTasks), main(tasks), ...sweep(sweepTasks), ...sweep(tasks)].map(({ request, then }) => ({
    request, then: (a) => { if (mine === asked) then(a); } }));
}

function runAll(): void {
  problem = "";
  pair = [null, null];
  pairTasks = [0, 0];
  swept = [[], []];
  idle = [false, false];
  runners.forEach((r, side) => r.run(jobsOf(side)));
}

let timer = 0;
function change(next: Settings, of: Preset | null = null): void {
  const same = encode({ ...next, metric: s.metric }) === encode(s);
  s = next;
  preset = of;
  history.replaceState(null, "", "#" + encode(s));
  update();
  if (same) return drawSoon(); // only the chart changed
  asked++;
  pair = [null, null];
  // keep the old figures until the new ones are complete
  answer.classList.add("stale");
  answer.setAttribute("aria-busy", "true");
  clearTimeout(timer);
  timer = window.setTimeout(runAll, pause);
}

// Controls. The update function of each shows the settings.
const updates: (() => void)[] = [];
const update = (): void => {
  updates.forEach((f) => f());
  showCommand();
};

function range(id: string, label: string, unit: string, of: string, get: () => number, set: (v: number) => Settings,
  shown: () => boolean = () => true, note: () => string = () => ""): HTMLElement {
  const [lo, hi, step] = bounds[of]!;
  const output = h("output", { for: id });
  const input = h("input", { id, type: "range", min: lo, max: hi, step, input: () => change(set(Number(input.value))) });
  const box = h("label", {}, label + " ", output, input);
  updates.push(() => {
    box.hidden = !shown();
    input.value = String(get());
    output.textContent = get() + unit + note();
    input.setAttribute("aria-valuetext", get() + unit);
  });
  return box;
}

function select(id: string, label: string, options: () => [string, string][], get: () => string, set: (v: string) => Settings): HTMLElement {
  const input = h("select", { id, change: () => change(set(input.value)) });
  let had = "";
  updates.push(() => {
    const all = options();
    if (!all.some(([v]) => v === get())) all.unshift([get(), get()]);
    const key = all.map(([v]) => v).join();
    if (had !== key) input.replaceChildren(...all.map(([value, text]) => h("option", { value }, text)));
    had = key;
    input.value = get();
  });
  return h("label", {}, label + " ", input);
}

function sideControls(side: 0 | 1): HTMLElement {
  const name = side ? "b" : "a";
  const set = (part: Partial<Settings["sides"][0]>): Settings => {
    const sides = structuredClone(s.sides);
    sides[side] = { ...sides[side], ...part };
    return { ...s, sides };
  };
  const queue = h("input", { id: "queue-" + name, type: "number", min: 0, max: mostQueue, placeholder: "default", change: () => {
    const v = Math.round(Number(queue.value));
    change(set({ queue: queue.value === "" || !Number.isFinite(v) ? null : Math.min(mostQueue, Math.max(0, v)) }));
  } });
  const queueLabel = h("label", {}, "queue, in tasks (empty: the default) ", queue);
  const about = h("p", { class: "about" });
  updates.push(() => {
    const chosen = choices.find((c) => c.name === s.sides[side].strategy);
    queue.value = s.sides[side].queue === null ? "" : String(s.sides[side].queue);
    queueLabel.hidden = chosen ? !chosen.queue : s.sides[side].queue === null;
    about.textContent = chosen ? `${chosen.summary}. Load ${digits(utilisation(s, side))} %.` : "";
  });
  return h("fieldset", {}, h("legend", {}, side ? "B" : "A"),
    select("strategy-" + name, "strategy", () => choices.map((c): [string, string] => [c.name, c.name]),
      () => s.sides[side].strategy, (v) => set({ strategy: v, queue: null })),
    range("limit-" + name, "limit", "", "limit", () => s.sides[side].limit, (v) => set({ limit: v }), () => true,
      () => (s.sides[side].limit === 1 ? " task at once" : " tasks at once")), queueLabel, about);
}

function buildControls(): void {
  const box = byId("controls");
  const buttons = presets.map((p) => {
    const b = h("button", { type: "button", click: () => change(apply(p), p) }, p.name);
    updates.push(() => b.setAttribute("aria-pressed", preset === p ? "true" : "false"));
    return b;
  });
  const list = (of: Record<string, string>) => (): [string, string][] => Object.entries(of);
  box.append(h("div", { class: "presets" }, h("h2", {}, "Claims to try"), h("div", { class: "choices" }, ...buttons)),
    h("div", { class: "sides" }, sideControls(0), sideControls(1),
      h("fieldset", {}, h("legend", {}, "Traffic, the same for A and B"),
        select("same", "both sides have", () => [["rate", "the same arrivals per second"], ["load", "the same load"]],
          () => s.same, (v) => ({ ...s, same: v === "load" ? "load" : "rate" })),
        range("load", "load", " %", "load", () => s.load, (v) => ({ ...s, load: v }), () => true,
          () => (s.same === "rate" ? ` of A: ${digits(request(s, 0, s.load, 1).rate)} tasks/s` : " of each capacity")),
        select("arrival", "tasks arrive", list(arrivalNames), () => s.arrival, (v) => ({ ...s, arrival: v }))),
      h("fieldset", {}, h("legend", {}, "Task times"),
        select("law", "distribution", list(laws), () => s.law, (v) => ({ ...s, law: v })),
        range("mean", "mean", " ms", "mean", () => s.mean, (v) => ({ ...s, mean: v })),
        range("c2", "variance, as C²", "", "c2", () => s.c2, (v) => ({ ...s, c2: v }), () => s.law === "lognormal" || s.law === "hyperexp"),
        range("share", "share of long tasks", " %", "share", () => s.share, (v) => ({ ...s, share: v }), () => s.law === "bimodal"),
        range("times", "a long task takes", "× as long", "times", () => s.times, (v) => ({ ...s, times: v }), () => s.law === "bimodal")),
      h("fieldset", {}, h("legend", {}, "Chart"),
        select("metric", "response", list(metrics), () => s.metric, (v) => ({ ...s, metric: v })))));
  update();
}

async function load(): Promise<WebAssembly.Module> {
  const sent = await fetch("poolbench.wasm.bin");
  if (!sent.ok || !sent.body) throw new Error(`poolbench.wasm.bin: status ${sent.status}`);
  const plain = sent.body.pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compileStreaming(new Response(plain, { headers: { "Content-Type": "application/wasm" } }));
}

const failed = (text: string): void => {
  problem = text;
  heading.textContent = "The pools cannot run here.";
  status.textContent = text;
};

buildControls();
show();
drawCharts();
addEventListener("resize", drawSoon);
addEventListener("hashchange", () => {
  const next = decode(location.hash);
  if (next && encode(next) !== encode(s)) change(next);
});
load().then((module) => {
  runners = [0, 1].map((side) => {
    const r = new Runner(module, failed);
    r.onIdle = () => {
      idle[side] = true;
      drawSoon();
    };
    r.onChoices = (all) => {
      if (choices.length > 0) return;
      choices = all;
      update();
    };
    return r;
  });
  runAll();
}, (e) => failed(String(e)));
