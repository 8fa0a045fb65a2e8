// The figures of the page: the finding, the table and the charts.

import { Chart, draw, legend, Line, Point } from "../page/front/chart";
import { h } from "../page/front/dom";
import { axisCount, axisSeconds, digits, seconds } from "../page/front/format";
import { swatch } from "../page/front/marks";
import { across, up, window } from "../page/front/scale";
import { metricOf, rate, Settings } from "./settings";
import { Answer } from "./worker";

export type Pair = [Answer | null, Answer | null];

// A Swept is the result of a side at a load, in percent.
export interface Swept {
  load: number;
  answer: Answer;
}

// names returns the names of the sides, by their differences.
export function names(s: Settings): [string, string] {
  const [a, b] = s.sides;
  const parts = s.sides.map((x) => [
    a.strategy !== b.strategy ? x.strategy : "",
    a.limit !== b.limit ? `limit ${x.limit}` : "",
    a.queue !== b.queue ? (x.queue === null ? "default queue" : `queue ${x.queue}`) : "",
  ].filter((t) => t).join(", ") || x.strategy);
  return parts[0] === parts[1] ? [parts[0] + " (A)", parts[1] + " (B)"] : [parts[0]!, parts[1]!];
}

const units: Record<string, [unit: string, label: string]> = {
  p99: ["p99-response-sec", "p99 response time"], mean: ["mean-response-sec", "mean response time"],
  short: ["short-p99-response-sec", "p99 response time of short tasks"],
};

const value = (a: Answer, unit: string): number | undefined => a.metrics[unit];

const percent = (v: number): string => digits(100 * v) + " %";

// saturated reports whether a pool cannot keep up, so its queue and response grow with the length
// of the run.
export const grows = (a: Answer): boolean =>
  (a.metrics["offered-utilisation"] ?? 0) >= 1 && !((a.metrics["shed/op"] ?? 0) > 0);

// finding describes the results, with a number for each side.
export function finding(s: Settings, pair: Pair): (Node | string)[] {
  const [a, b] = pair;
  const [unit, label] = units[metricOf(s)]!;
  const got = pair.map((x) => x && value(x, unit));
  const work = s.same === "rate" ? `${digits(rate(s, s.load))} tasks/s` : `${s.load} % load`;
  const said = names(s);
  if (!a || !b) return [`At ${work}: running …`];
  if (got[0] === undefined || got[1] === undefined) return [`At ${work}: too few tasks for the ${label}.`];
  const say = (i: 0 | 1): (Node | string)[] => [
    h("strong", {}, seconds(got[i]!)), ` with ${said[i]}${grows(pair[i]!) ? " and growing" : ""}`];
  if (got[0] === got[1]) {
    return [`At ${work} both have the same ${label}: `, h("strong", {}, seconds(got[0]!)), "."];
  }
  const [low, high] = got[0]! < got[1]! ? [0, 1] as const : [1, 0] as const;
  const times = got[high]! / got[low]!;
  return [`At ${work} the ${label} is `, ...say(0), ", and ", ...say(1),
    times >= 1.005 ? ` (${digits(times)}× as long with ${said[high]}).` : "."];
}

interface Row {
  name: string;
  unit: string;
  show: (v: number) => string;
  low?: string;
  theory?: string;
  always?: boolean;
}

const rows: Row[] = [
  { name: "p99 response", unit: "p99-response-sec", show: seconds, low: "p99-response", theory: "theory-p99-response-sec", always: true },
  { name: "median response", unit: "p50-response-sec", show: seconds, low: "p50-response", theory: "theory-p50-response-sec", always: true },
  { name: "mean response", unit: "mean-response-sec", show: seconds, low: "mean-response", always: true },
  { name: "mean wait", unit: "mean-wait-sec", show: seconds, theory: "theory-mean-wait-sec", always: true },
  { name: "p99 of short tasks", unit: "short-p99-response-sec", show: seconds },
  { name: "p99 of long tasks", unit: "long-p99-response-sec", show: seconds },
  { name: "throughput", unit: "ops/s", show: (v) => digits(v) + " tasks/s", always: true },
  { name: "slots busy", unit: "utilisation", show: percent, always: true },
  { name: "refused tasks", unit: "shed/op", show: percent, theory: "theory-shed/op" },
];

// table returns the figures of both sides. The data-value of a cell is its exact value.
export function table(s: Settings, pair: Pair): HTMLElement {
  const cell = (a: Answer | null, r: Row): HTMLElement => {
    const v = a && value(a, r.unit);
    if (!a || v === undefined || v === null) return h("td", {}, a ? "–" : "…");
    const below: string[] = [];
    const lo = r.low && value(a, r.low + "-low-sec");
    const hi = r.low && value(a, r.low + "-high-sec");
    if (lo && hi) below.push(`95 % CI ${seconds(lo)} to ${seconds(hi)}`);
    const exact = r.theory && value(a, r.theory);
    if (exact !== undefined && exact !== "") below.push(`theory ${r.show(exact)}`);
    return h("td", { "data-unit": r.unit, "data-value": String(v) }, r.show(v),
      ...below.map((t) => h("small", {}, t)));
  };
  const shown = rows.filter((r) => r.always || pair.some((a) => a && (value(a, r.unit) ?? 0) > 0));
  return h("table", { class: "figures" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "time from arrival to end"),
      ...names(s).map((n, i) => h("th", { scope: "col" }, swatch(i), ...broken(n))))),
    h("tbody", {}, ...shown.map((r) => h("tr", {}, h("th", { scope: "row" }, r.name),
      ...pair.map((a) => cell(a, r))))));
}

// broken returns a name that may be broken after each part.
const broken = (name: string): (Node | string)[] =>
  name.split(/(?<=_)/).flatMap((part) => [part, h("wbr")]);

const xy = (flat: number[]): Point[] =>
  flat.flatMap((x, i) => (i % 2 ? [] : [{ x, y: flat[i + 1]!, text: "" }]));

function figure(title: string, note: string, c: Chart, wide = false): HTMLElement {
  const d = draw(c);
  d.svg.setAttribute("role", "img");
  // without the pointer a chart has no buttons
  for (const dot of d.svg.querySelectorAll(".pb-dot")) {
    for (const name of ["tabindex", "role", "aria-pressed", "aria-label"]) dot.removeAttribute(name);
  }
  const out = h("figure", { class: wide ? "wide" : "" }, h("h2", {}, title), h("div", { class: "drawn" }, d.svg));
  if (!c.names) {
    const list = h("ul", { class: "names-below" });
    legend(c.lines, list);
    out.append(list);
  }
  out.append(h("figcaption", {}, note));
  return out;
}

// exact returns the theoretical value of a metric, if there is one.
function exact(a: Answer, metric: string): number | undefined {
  if (metric !== "mean") return a.metrics["theory-" + units[metric]![0]];
  const wait = a.metrics["theory-mean-wait-sec"];
  return wait === undefined ? undefined : wait + a.mean;
}

// responses draws the response over the load of both sides.
export function responses(s: Settings, swept: [Swept[], Swept[]], width: number): HTMLElement {
  const [unit, label] = units[metricOf(s)]!;
  const at = (load: number): number => (s.same === "rate" ? rate(s, load) : load);
  let theory = false;
  const lines: Line[] = swept.map((all, i) => {
    const sorted = [...all].sort((p, q) => p.load - q.load);
    const points: Point[] = sorted.filter((p) => value(p.answer, unit) !== undefined).map((p) => ({
      x: at(p.load), y: value(p.answer, unit)!, chosen: p.load === s.load,
      text: `${names(s)[i]} at ${at(p.load)}${s.same === "rate" ? " tasks/s" : " %"}: ${seconds(value(p.answer, unit)!)}${grows(p.answer) ? ", growing" : ""}` }));
    const line = sorted.flatMap((p) => {
      const y = exact(p.answer, metricOf(s));
      return y === undefined ? [] : [{ x: at(p.load), y, text: "" }];
    });
    theory ||= line.length > 1;
    return { name: names(s)[i]!, style: i, end: names(s)[i]!, points, theory: line };
  });
  const all = lines.flatMap((l) => [...l.points, ...(l.theory ?? [])]);
  const xs = [...new Set(all.map((p) => p.x))].sort((p, q) => p - q);
  const title = `${label} over the ${s.same === "rate" ? "arrival rate" : "load"}`;
  const notes = [`Ring: the settings above.`];
  if (theory) notes.push("Grey bands: exact queueing theory.");
  if (swept.some((side) => side.some((p) => grows(p.answer)))) {
    notes.push("At 100 % load and above a pool that blocks falls behind for as long as it lasts.");
  }
  return figure(title, notes.join(" "), { label: title, width, height: width >= 640 ? 380 : 300,
    x: across(xs.length ? xs : [0, 1], false), y: up(all.map((p) => p.y), true),
    xLabel: s.same === "rate" ? "arrivals per second" : "load, in % of the capacity of each side",
    yLabel: "log scale", xText: (v) => String(Number(v.toPrecision(4))), yText: axisSeconds, lines,
    names: width >= 640, levels: [], walls: s.same === "load" ? [{ name: "capacity", x: 100 }] : [] }, true);
}

// course draws the waiting tasks over the time of the run.
export function course(s: Settings, pair: Pair, width: number): HTMLElement {
  const lines: Line[] = pair.flatMap((a, i) => (a ? [{ name: names(s)[i]!, style: i, end: names(s)[i]!,
    points: xy(a.queued), bare: true, steps: true }] : []));
  const all = lines.flatMap((l) => l.points);
  const title = "Queue length over time";
  return figure(title, "Tasks that have arrived and not started, under the virtual clock.", { label: title, width, height: 260,
    x: window(0, Math.max(1e-9, ...all.map((p) => p.x)), false), y: up([1, ...all.map((p) => p.y)], false),
    xLabel: "time since the first arrival", yLabel: "waiting tasks", xText: axisSeconds, yText: axisCount,
    lines, names: width >= 640, levels: [], walls: [] });
}

const half = 0.3; // about the median

const quantile = (nines: number): string =>
  nines < 0.9 ? "p50" : nines < 1.5 ? "p90" : "p99" + (nines > 2.5 ? "." + "9".repeat(Math.round(nines) - 2) : "");

// distribution draws the response by quantile.
export function distribution(s: Settings, pair: Pair, width: number): HTMLElement {
  const lines: Line[] = pair.flatMap((a, i) => {
    if (!a) return [];
    const theory: Point[] = ["p50", "p90", "p99", "p99.9"].flatMap((q, n) => {
      const y = a.metrics[`theory-${q}-response-sec`];
      return y === undefined ? [] : [{ x: n === 0 ? half : n, y, text: "" }];
    });
    return [{ name: names(s)[i]!, style: i, end: names(s)[i]!, points: xy(a.curve).filter((p) => p.x >= half), bare: true, theory }];
  });
  const all = lines.flatMap((l) => [...l.points, ...(l.theory ?? [])]);
  const x = across([half, Math.max(1, ...all.map((p) => p.x))], false);
  x.marks = [half, 1, 2, 3, 4].filter((n) => n <= x.hi);
  const title = "Distribution of the response time";
  return figure(title, "p99: 99 of 100 tasks take at most this long.", { label: title, width, height: 260, x, y: up(all.map((p) => p.y), true),
    xLabel: "percentile", yLabel: "log scale", xText: quantile, yText: axisSeconds, lines,
    names: width >= 640, levels: [], walls: [] });
}


