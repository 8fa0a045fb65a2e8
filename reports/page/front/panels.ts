// The two panels of a point: the distribution of the response, and the run over time.

import { Chart, Line } from "./chart";
import { brief } from "./dom";
import { axisCount, axisSeconds } from "./format";
import { across, up, window } from "./scale";
import { Class } from "./classes";
import { Cell, TimeSeries } from "./types";
import { cellAt, named, place, style, View } from "./view";

export interface Panel {
  title: string;
  charts: Chart[];
  note: string;
}

const step = 0.1; // of a curve, in nines, as in data.go
const half = 3 * step; // about the median, where the panel begins

// quantile formats nines: 2 is p99.
function quantile(nines: number): string {
  if (nines < 0.9) return "p50";
  return "p" + (nines < 1.5 ? "90" : "99" + (nines > 2.5 ? "." + "9".repeat(Math.round(nines) - 2) : ""));
}

// distribution draws the shown classes at the place of the table.
export function distribution(v: View, width: number): Panel {
  const where = place(v, v.x);
  const title = `Response by quantile${where && " at " + where}`;
  const lines: Line[] = [];
  for (const of of v.shown) {
    const cell = cellAt(v, of, v.x);
    const curve = cell && v.model.data.curves[cell.curve];
    if (!curve) continue;
    const end = curve.sec.length - 1;
    const points = curve.sec.map((y, i) => ({ x: i === end ? curve.nines : i * step, y, text: "" }))
      .filter((p) => p.x >= half);
    if (points.length < 2) continue;
    lines.push({ name: of.name, style: style(v, of), end: brief(of.label, 36), points, bare: true });
  }
  if (lines.length === 0) return { title, charts: [], note: "" };
  const most = Math.max(...lines.flatMap((l) => l.points.map((p) => p.x)));
  const x = across([half, most], false);
  x.marks = [half, 1, 2, 3, 4, 5, 6].filter((n) => n <= most);
  const y = up(lines.flatMap((l) => l.points.map((p) => p.y)), true);
  return { title, note: "Repetitions are pooled. A curve ends at the highest quantile with enough tasks.", charts: [{
    label: title, width, height: 300, x, y, xLabel: "quantile", yLabel: "response (log scale)",
    xText: quantile, yText: axisSeconds, lines, names: width >= 640, levels: [], walls: [] }] };
}

// chosen returns the class of the selected point, or the first shown.
function chosen(v: View): Class | null {
  return named(v.model, v.scenario, v.shown, v.state.point) ?? v.shown[0] ?? null;
}

function series(of: Class, v: View, name: string, course: TimeSeries, values: number[]): Line {
  const missing = (i: number): boolean => !!course.missing?.includes(i);
  const points = values
    .map((y, i) => ({ x: course.start + (i + 1) * course.step, y, parted: missing(i - 1), text: "" }))
    .filter((_, i) => !missing(i));
  return { name, style: style(v, of), end: name, points, bare: true };
}

// course draws the first repetition of the point over time.
export function course(v: View, width: number): Panel {
  const of = chosen(v);
  const cell: Cell | undefined = of ? cellAt(v, of, v.x) : undefined;
  const data = cell && v.model.data.courses[cell.course];
  const where = place(v, v.x);
  const title = of ? `${of.label} over time${where && " at " + where}` : "Over time";
  if (!of || !cell || !data) return { title, charts: [], note: "" };
  const limitAt = v.scenario.axes.findIndex((a) => a.key === "limit");
  const limit = limitAt < 0 ? undefined : v.scenario.axes[limitAt]!.at[cell.at[limitAt]!];
  const rate = (n: number): number => n / data.step;
  const mini = (name: string, values: number[], levels: Chart["levels"] = []): Chart => ({
    label: `${name}: ${title}`, width, height: 170, lines: [series(of, v, name, data, values)],
    x: window(0, data.start + values.length * data.step, false),
    y: up([...values, ...levels.map((l) => l.y)], false), xLabel: "", yLabel: name,
    xText: axisSeconds, yText: axisCount, names: false, levels,
    walls: (data.missing ?? []).map((i) => ({ name: "", x: data.start + (i + 0.5) * data.step })),
  });
  const charts = [
    mini("in flight", data.flight, limit === undefined ? [] : [{ name: `limit ${limit}`, y: limit }]),
    mini("queued", data.queued),
    mini("completed a second", data.done.map(rate)),
  ];
  if (data.lost.some((n) => n > 0)) charts.push(mini("refused or failed per second", data.lost.map(rate)));
  return { title, charts, note: "First repetition, over seconds since the first arrival." +
    (data.missing ? " Dotted: the run was interrupted, and its tasks are not fully recorded." : "") };
}
