// The chart of a view with its title and caption.

import { Chart, Line, Point } from "./chart";
import { brief } from "./dom";
import { axisText } from "./format";
import { verdicts } from "./model";
import { across, up, window } from "./scale";
import { cellAt, place, shown, style, View, visible, words } from "./view";

// lines returns the shown classes with their points.
export function lines(v: View): Line[] {
  const chosen = v.state.point;
  return v.shown.map((of) => {
    const points: Point[] = [];
    const theory: Point[] = [];
    let said = "";
    v.axis.at.forEach((x, i) => {
      const cell = cellAt(v, of, i);
      const e = cell && v.model.estimate(cell, v.metricAt);
      if (!cell || !e) return;
      said = shown(v, cell);
      const where = place(v, i);
      const doubt = cell.verdict ? `, ${verdicts[cell.verdict]}` : "";
      points.push({ x, y: e.mid, lo: e.lo, hi: e.hi, growing: v.model.grows(cell, v.metric),
        doubted: !!cell.verdict, chosen: i === v.x && of.series.some((s) => v.model.name(v.scenario, s) === chosen),
        text: `${of.label}${where && ", " + where}: ${v.metric.label} ${words(v, cell)}${doubt}` });
      const exact = v.model.estimate(cell, v.metric.theory);
      if (exact) theory.push({ x, y: exact.mid, text: "" });
    });
    const last = points[points.length - 1];
    const label = brief(of.label, 36);
    const end = last ? `${label}: ${said}${last.growing ? ", growing" : ""}` : label;
    return { name: of.name, style: style(v, of), end, points, theory };
  }).filter((l) => l.points.length > 0);
}

export function chart(v: View, width: number): Chart {
  const all = lines(v);
  const fixedEnd = all.flatMap((l) => [...l.points.filter((p) => !p.growing)
    .flatMap((p) => [p.y, p.lo ?? p.y, p.hi ?? p.y]), ...(l.theory ?? []).map((p) => p.y)]);
  const ys = fixedEnd.some((y) => y > 0 || !v.log) ? fixedEnd : all.flatMap((l) => l.points.map((p) => p.y));
  const log = v.log && ys.some((y) => y > 0);
  const zoom = v.state.zoom;
  const bounds = levels(v);
  // the axis includes only values near the data, because distant ones would compress the data
  const near = bounds.map((l) => l.y).filter((y) => y <= 2 * Math.max(...ys) && y >= Math.min(...ys) / 2);
  const xs = all.flatMap((l) => l.points.map((p) => p.x));
  const x = zoom ? window(zoom[0]!, zoom[1]!, v.axis.log, v.axis.at)
    : across(xs.length ? [...new Set(xs)].sort((a, b) => a - b) : v.axis.at, v.axis.log);
  const wide = width >= 640;
  return {
    label: title(v) + ". " + caption(v).join(" "),
    width, height: wide ? 420 : 320, x, y: zoom ? window(zoom[2]!, zoom[3]!, log) : up([...ys, ...near], log),
    xLabel: v.axis.label, yLabel: v.metric.label + (log ? " (log scale)" : ""),
    xText: (value) => axisText("")(value) + v.axis.unit, yText: axisText(v.metric.kind),
    lines: all, names: wide,
    levels: bounds,
    walls: v.axis.key === "load" ? [{ name: "capacity", x: 1 }] : [],
  };
}

// levels returns the deadline of a response, and the objectives of the runs.
function levels(v: View): { name: string; y: number }[] {
  const named = (name: string, y: number): { name: string; y: number } =>
    ({ name: `${name} ${axisText(v.metric.kind)(y)}`, y });
  const held = (v.metric.bounds ?? []).map((y) => named("objective", y));
  return v.scenario.deadline > 0 && v.metric.unit.endsWith("-response-sec")
    ? [named("deadline", v.scenario.deadline), ...held] : held;
}

// title returns the finding at the place of the table: the best and the worst of the shown classes.
export function title(v: View): string {
  const at = visible(v).filter((p) => p.x === v.x);
  const where = place(v, v.x);
  const what = `${v.metric.label}${where && " at " + where}`;
  const value = (p: (typeof at)[0]): number => v.model.estimate(p.cell, v.metricAt)!.mid;
  const better = v.metric.better === "higher" ? -1 : 1;
  const order = [...at].sort((a, b) => better * (value(a) - value(b)));
  const [best, worst] = [order[0], order[order.length - 1]];
  if (!best || !worst) return `No value of ${what}`;
  const say = (p: (typeof at)[0]): string => `${p.of.label} ${shown(v, p.cell)}` +
    (v.model.grows(p.cell, v.metric) ? " and growing" : "") + v.model.loss(p.cell);
  if (best === worst) return `${what}: ${say(best)}`;
  return value(best) === value(worst) ? `${what}: ${shown(v, best.cell)} with ` +
    `${at.length === 2 ? "both" : "each of " + at.length} shown` : `${what}: ${say(best)}, ${say(worst)}`;
}

// caption explains the marks that occur in the chart.
export function caption(v: View): string[] {
  const cells = visible(v);
  const out: string[] = [];
  const counts = [...new Set(cells.map((p) => p.cell.runs.length))].sort((a, b) => a - b);
  const most = counts[counts.length - 1] ?? 0;
  if (most === 1) out.push("One run per point, so the variation is unknown.");
  else if (most > 1) {
    const bars = counts[0]! >= v.model.data.enough ? "95 % intervals"
      : most < v.model.data.enough ? "from the smallest to the largest"
      : `95 % intervals, or, below ${v.model.data.enough} repetitions, from the smallest to the largest`;
    out.push(`Medians of ${counts.length > 1 ? counts[0] + " to " : ""}${most} repetitions; bars: ${bars}.`);
  }
  const count = (n: number, one: string, more: string): string => (n === 1 ? "1 " + one : `${n} ${more}`);
  const doubted = cells.filter((p) => p.cell.verdict).length;
  if (doubted) out.push(`Hollow: SUSPECT or INVALID (${count(doubted, "point", "points")} of ${cells.length}).`);
  const growing = cells.filter((p) => v.model.grows(p.cell, v.metric)).length;
  if (growing) out.push(`Arrows: growing with the length of the run (${count(growing, "point", "points")}).`);
  if (cells.some((p) => v.model.estimate(p.cell, v.metric.theory))) out.push("Grey bands: exact theory.");
  const lost = cells.filter((p) => v.log && v.model.estimate(p.cell, v.metricAt)!.mid <= 0).length;
  if (lost) out.push(`Not on a log scale: ${count(lost, "point", "points")} at 0.`);
  if (v.shown.length < v.classes.length) out.push(`Shown: ${v.shown.length} of ${v.classes.length} lines.`);
  return out;
}
