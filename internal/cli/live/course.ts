import { time } from "./words";

// A Frame is one of course.go.
export interface Frame {
  at: number;
  run: string;
  done: number;
  planned: number;
  left: number | null;
  elapsed: number;
  settled: number;
  rate: number | null;
  p50: number | null;
  p99: number | null;
  in_flight: number | null;
  limit: number;
  others: number[];
}

interface Line {
  name: string;
  style: string;
  of: (f: Frame) => number | null;
}

interface Chart {
  title: string;
  unit: (v: number) => string;
  lines: Line[];
}

const charts: Chart[] = [
  { title: "Tasks settled a second", unit: (v) => v.toFixed(0),
    lines: [{ name: "rate", style: "a", of: (f) => f.rate }] },
  { title: "Response, from due, of the last two seconds", unit: time, lines: [
    { name: "p99", style: "b", of: (f) => f.p99 }, { name: "p50", style: "a", of: (f) => f.p50 }] },
  { title: "Tasks in flight", unit: (v) => v.toFixed(0), lines: [
    { name: "limit", style: "limit", of: (f) => f.limit > 0 ? f.limit : null },
    { name: "in flight", style: "a", of: (f) => f.in_flight }] },
];

const height = 144, left = 64, right = 72, top = 8, bottom = 20;

function element(tag: string, attributes: Record<string, string | number>, text = ""): SVGElement {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, String(value));
  e.textContent = text;
  return e;
}

// path breaks where there is no value, and where another run begins.
export function path(
  frames: Frame[], of: Line["of"], x: (f: Frame) => number, y: (v: number) => number,
): string {
  let d = "", run = "", open = false;
  for (const f of frames) {
    const v = of(f);
    if (v === null) {
      open = false;
      continue;
    }
    d += `${open && f.run === run ? "L" : "M"}${x(f).toFixed(1)} ${y(v).toFixed(1)}`;
    open = true;
    run = f.run;
  }
  return d;
}

// draw draws the frames anew.
export function draw(into: HTMLElement, frames: Frame[]): void {
  const width = Math.max(into.clientWidth, 280);
  const first = frames[0]?.at ?? 0, last = frames[frames.length - 1]?.at ?? 1;
  const x = (f: Frame): number =>
    left + (f.at - first) / Math.max(last - first, 1) * (width - left - right);
  into.replaceChildren(...charts.flatMap((c) => {
    const values = c.lines.flatMap((l) => frames.map(l.of)).filter((v) => v !== null);
    if (values.length === 0) return [];
    const most = Math.max(...values, 1e-9);
    const y = (v: number): number => top + (1 - v / most) * (height - top - bottom);
    const h2 = document.createElement("h2");
    h2.textContent = c.title;
    const svg = element("svg", { viewBox: `0 0 ${width} ${height}`, role: "img",
      "aria-label": c.title });
    for (const v of [0, most]) {
      svg.append(element("line", { class: "grid", x1: left, x2: width - right, y1: y(v), y2: y(v) }),
        element("text", { x: left - 6, y: y(v) + 4, "text-anchor": "end" }, c.unit(v)));
    }
    svg.append(element("text", { x: left, y: height - 4 }, time(Math.round(first))),
      element("text", { x: width - right, y: height - 4, "text-anchor": "end" },
        time(Math.round(last))));
    for (const l of c.lines) {
      svg.append(element("path", { class: `line ${l.style}`, d: path(frames, l.of, x, y) }));
      const end = frames.findLast((f) => l.of(f) !== null);
      if (end) {
        svg.append(element("text", { x: x(end) + 6, y: y(l.of(end) ?? 0) + 4 }, l.name));
      }
    }
    return [h2, svg];
  }));
}
