// The settings of the page, and their forms in a link, for the program and for the command.

export interface Side {
  strategy: string;
  limit: number;
  queue: number | null; // null: the default
}

export interface Settings {
  sides: [Side, Side];
  same: "rate" | "load"; // equal for both sides. The load of a rate is the first side's
  load: number; // in percent of the capacity
  arrival: string;
  law: string;
  mean: number; // ms
  c2: number;
  share: number; // percent of long tasks
  times: number; // length of a long task relative to a short one
  metric: string;
}

// A Request is the input of the program.
export interface Request {
  strategy: string;
  workload: string;
  arrival: string;
  limit: number;
  queue: number; // -1: none. 0: the default
  load: number; // 0: given by the rate
  rate: number;
  tasks: number;
}

export const first: Settings = {
  sides: [{ strategy: "worker_pool", limit: 8, queue: null }, { strategy: "worker_pool", limit: 16, queue: null }],
  same: "rate", load: 80, arrival: "poisson", law: "exponential", mean: 10, c2: 4, share: 5, times: 50, metric: "p99",
};

export const laws: Record<string, string> = {
  constant: "all equal (C² = 0)",
  exponential: "exponential (C² = 1)",
  lognormal: "log-normal: a long tail, as remote calls have",
  hyperexp: "hyperexponential: a longer tail",
  bimodal: "bimodal: short tasks and a few long ones",
};

export const arrivalNames: Record<string, string> = {
  poisson: "at random (Poisson)",
  constant: "evenly spaced",
  mmpp: "in random bursts",
};

export const metrics: Record<string, string> = { p99: "p99", mean: "mean", short: "p99 of short tasks" };

// metricOf returns the metric of the charts. Only some distributions have short tasks.
export const metricOf = (s: Settings): string => (s.metric === "short" && s.law !== "bimodal" ? "p99" : s.metric);

const clamp = (v: number, lo: number, hi: number): number => Math.min(hi, Math.max(lo, v));

const trim = (v: number, digits: number): number => Number(v.toPrecision(digits));

// short returns the time of a short task in nanoseconds, to four digits, for the requested mean of
// all tasks.
const short = (s: Settings): number => {
  const p = s.share / 100;
  return Math.round(trim((s.mean * 1e6) / (1 - p + p * s.times), 4));
};

// meanSeconds returns the mean time of a task.
function meanSeconds(s: Settings): number {
  if (s.law !== "bimodal") return s.mean / 1000;
  const p = s.share / 100;
  return (short(s) * (1 - p + p * s.times)) / 1e9;
}

function duration(ns: number): string {
  if (ns % 1e6 === 0) return ns / 1e6 + "ms";
  return ns % 1000 === 0 ? ns / 1000 + "us" : ns + "ns";
}

export function workload(s: Settings): string {
  const mean = duration(Math.round(s.mean * 1e6));
  switch (s.law) {
    case "lognormal":
    case "hyperexp":
      return `${s.law}:mean=${mean},c2=${s.law === "hyperexp" ? Math.max(1, s.c2) : s.c2}`;
    case "bimodal":
      return `bimodal:p=${trim(s.share / 100, 6)},short=${duration(short(s))},long=${duration(short(s) * s.times)}`;
  }
  return `${s.law}:mean=${mean}`;
}

// rate returns the arrivals per second for that load of the first side.
export function rate(s: Settings, load: number): number {
  return trim((load / 100) * s.sides[0].limit / meanSeconds(s), 4);
}

// utilisation returns the load of a side, in percent of its capacity.
export function utilisation(s: Settings, side: number): number {
  return s.same === "load" ? s.load : (100 * rate(s, s.load) * meanSeconds(s)) / s.sides[side]!.limit;
}

export function request(s: Settings, side: number, load: number, tasks: number): Request {
  const of = s.sides[side]!;
  return { strategy: of.strategy, workload: workload(s), arrival: s.arrival, limit: of.limit,
    queue: of.queue === null ? 0 : of.queue === 0 ? -1 : of.queue,
    load: s.same === "load" ? trim(load / 100, 6) : 0, rate: s.same === "rate" ? rate(s, load) : 0, tasks };
}

// command returns the shell commands with the same results: one line if only the strategies differ.
export function command(s: Settings, tasks: number): string[] {
  const line = (strategies: string, side: number): string => {
    const r = request(s, side, s.load, tasks);
    return ["poolbench run --clock virtual --strategy " + strategies, "--workload " + r.workload,
      r.arrival === "poisson" ? "" : "--arrival " + r.arrival, `--limit ${r.limit}`,
      r.queue === 0 ? "" : `--queue ${Math.max(r.queue, 0)}`,
      r.load ? `--load ${r.load}` : `--rate ${r.rate}`, `--n ${tasks}`].filter((w) => w).join(" ");
  };
  const [a, b] = s.sides;
  if (a.limit === b.limit && a.queue === b.queue) {
    return [line(a.strategy === b.strategy ? a.strategy : `${a.strategy},${b.strategy}`, 0)];
  }
  return [line(a.strategy, 0), line(b.strategy, 1)];
}

// encode returns the part of an address after #.
export function encode(s: Settings): string {
  const side = (x: Side): string => [x.strategy, x.limit, x.queue ?? ""].join(",");
  return "v=1&" + [["a", side(s.sides[0])], ["b", side(s.sides[1])], ["same", s.same], ["load", s.load],
    ["arrival", s.arrival], ["law", s.law], ["mean", s.mean], ["c2", s.c2], ["share", s.share],
    ["times", s.times], ["m", s.metric]].map(([k, v]) => `${k}=${encodeURIComponent(String(v)).replace(/%2C/g, ",")}`).join("&");
}

// bounds of the numbers and the sliders
export const bounds: Record<string, [lo: number, hi: number, step: number]> = {
  limit: [1, 64, 1], load: [5, 150, 1], mean: [1, 100, 1], c2: [0.5, 25, 0.5], share: [1, 40, 1], times: [2, 100, 1],
};
export const mostQueue = 100_000;

// decode is the inverse of encode. Unknown and invalid parts keep their defaults. It returns null
// if the address has no settings, or a later version.
export function decode(hash: string): Settings | null {
  const all = new URLSearchParams(hash.replace(/^#/, ""));
  if (all.get("v") !== "1") return null;
  const number = (key: string, otherwise: number): number => {
    const [lo, hi] = bounds[key]!;
    const v = Number(all.get(key) ?? NaN);
    return Number.isFinite(v) ? clamp(v, lo, hi) : otherwise;
  };
  const name = (key: string, of: Record<string, string>, otherwise: string): string =>
    Object.hasOwn(of, all.get(key) ?? "") ? all.get(key)! : otherwise;
  const side = (key: string, otherwise: Side): Side => {
    const [strategy = "", limit = "", queue = ""] = (all.get(key) ?? "").split(",");
    if (!/^[a-z0-9_]{1,40}$/.test(strategy)) return otherwise;
    const [lo, hi] = bounds["limit"]!;
    const n = Math.round(Number(limit));
    const q = Math.round(Number(queue));
    return { strategy, limit: limit !== "" && Number.isFinite(n) ? clamp(n, lo, hi) : otherwise.limit,
      queue: queue !== "" && Number.isFinite(q) ? clamp(q, 0, mostQueue) : null };
  };
  return { sides: [side("a", first.sides[0]), side("b", first.sides[1])],
    same: all.get("same") === "load" ? "load" : "rate", load: number("load", first.load),
    arrival: name("arrival", arrivalNames, first.arrival), law: name("law", laws, first.law),
    mean: number("mean", first.mean), c2: number("c2", first.c2), share: number("share", first.share),
    times: number("times", first.times), metric: name("m", metrics, first.metric) };
}

export interface Preset {
  name: string;
  claim: string;
  answer: string;
  study: string; // the study that tests the claim in many settings
  change: Partial<Settings>;
}

const both = (a: string, b: string, limit: number, queues: (number | null)[] = [null, null]): [Side, Side] =>
  [{ strategy: a, limit, queue: queues[0]! }, { strategy: b, limit, queue: queues[1]! }];

export const presets: Preset[] = [
  { name: "Limit 8 or 16", claim: "A higher limit is always faster.", study: "",
    answer: "Only while tasks wait: at 80 % load, 8 more slots remove the wait and change nothing else.",
    change: {} },
  { name: "errgroup or worker pool", claim: "errgroup with SetLimit is the tool to use: other forms of a limit make tasks wait longer.",
    answer: "No: both give the same waits, to the nanosecond. Choose by errors, panics and cancellation.", study: "load",
    change: { sides: both("errgroup_limit", "worker_pool", 8), same: "load", load: 90 } },
  { name: "A larger buffer", claim: "The size of a buffer trades latency against memory: a larger one absorbs bursts.",
    answer: "Under sustained overload it refuses as many tasks, and delays all others.", study: "buffer",
    change: { sides: both("bounded_queue_shed", "bounded_queue_shed", 4, [8, 256]), same: "load", load: 120 } },
  { name: "Drop or block", claim: "Under pressure it is better to drop work than to block.",
    answer: "A pool that blocks keeps all tasks, and its p99 grows for as long as the overload lasts.", study: "backpressure",
    change: { sides: both("worker_pool", "bounded_queue_shed", 8), same: "load", load: 120 } },
  { name: "Long tasks", claim: "Partition long tasks, or give each class of tasks a pool.",
    answer: "Yes for short tasks, which no longer wait behind long ones. Long tasks take longer.", study: "variance",
    change: { sides: both("worker_pool", "partitioned", 4), same: "load", load: 80, law: "bimodal", share: 2, times: 50, metric: "short" } },
  { name: "Variance", claim: "A long task shrinks the pool, so variance lowers throughput.",
    answer: "Not below saturation: the throughput stays, and tasks wait longer. Raise C² to see it.", study: "spread",
    change: { sides: both("worker_pool", "shortest_first", 4), same: "load", load: 80, law: "hyperexp", c2: 16 } },
  { name: "Event loop", claim: "One long callback on an event loop delays every client.",
    answer: "Yes: run it in steps, so that others run in between.", study: "eventloop",
    change: { sides: both("event_loop", "partitioned", 1), same: "load", load: 50, law: "bimodal", share: 1, times: 50, metric: "short" } },
];

// apply returns the settings of a preset.
export const apply = (p: Preset): Settings => ({ ...structuredClone(first), ...structuredClone(p.change) });
