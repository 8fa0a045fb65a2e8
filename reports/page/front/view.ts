// The part of the data that a state shows. Nothing here accesses the page.

import { Class, classes } from "./classes";
import { axisText, spell } from "./format";
import { Model } from "./model";
import { State } from "./state";
import { Axis, Cell, Metric, Scenario } from "./types";

// mostShown is the number of classes drawn by default.
export const mostShown = 6;

export interface View {
  model: Model;
  state: State;
  scenario: Scenario;
  metric: Metric;
  metricAt: number;
  axis: Axis;
  axisAt: number; // −1: nothing varies
  rest: { axis: Axis; at: number }[]; // other axes with several values, and the index of the shown one
  log: boolean;
  classes: Class[];
  shown: Class[];
  x: number; // index on the axis, of the table and the panels
  base: Class | null;
}

const nowhere: Axis = { key: "", label: "", unit: "", log: false, at: [0] };

export function view(model: Model, state: State): View {
  const { scenarios, metrics } = model.data;
  const scenario = scenarios.find((s) => s.id === state.scenario) ?? scenarios[0]!;
  let metricAt = model.metric(state.metric);
  if (metricAt < 0 || !model.has(scenario, metricAt)) metricAt = firstMetric(model, scenario);
  const metric = metrics[metricAt]!;
  const varying = scenario.axes.filter((a) => a.at.length > 1);
  const axis = varying.find((a) => a.key === state.axis) ?? varying[0] ?? scenario.axes[0] ?? nowhere;
  const rest = varying.filter((a) => a !== axis).map((a) => ({ axis: a,
    at: Math.max(a.at.indexOf(state.at[a.key] ?? a.at[0]!), 0) }));
  const all = classes(model, scenario, metricAt);
  const asked = state.shown;
  const shown = asked === null ? all.slice(0, mostShown)
    : all.filter((c) => c.series.some((s) => asked.includes(model.name(scenario, s))));
  const place = state.x === null ? -1 : axis.at.indexOf(state.x);
  return {
    model, state, scenario, metric, metricAt, axis, axisAt: scenario.axes.indexOf(axis), rest,
    log: state.linear === null ? metric.kind === "seconds" : !state.linear,
    classes: all, shown, x: place < 0 ? axis.at.length - 1 : place,
    base: named(model, scenario, all, state.base),
  };
}

// baseOf returns the class with which another is compared: the chosen baseline or, with several
// results, the same strategy in the first.
export function baseOf(v: View, c: Class): Class | null {
  if (v.base || !v.model.data.sources) return v.base;
  const twin = v.model.twin(v.scenario, c.series[0]!);
  return v.classes.find((o) => o.series.includes(twin)) ?? null;
}

export function named(model: Model, scenario: Scenario, all: Class[], name: string): Class | null {
  return all.find((c) => c.series.some((s) => model.name(scenario, s) === name)) ?? null;
}

// firstMetric returns the default metric: the p99, or else the metric of the most points.
export function firstMetric(model: Model, scenario: Scenario): number {
  for (const least of [0.5, 0]) {
    for (const id of ["p99", "p50", "goodput-ops/s", "ops/s"]) {
      const at = model.metric(id);
      if (at >= 0 && model.share(scenario, at) > least) return at;
    }
  }
  return Math.max(0, model.data.metrics.findIndex((_, i) => model.has(scenario, i)));
}

// cellAt returns the cell of a class at an index of the axis, or undefined if it was not run.
export function cellAt(v: View, c: Class, x: number): Cell | undefined {
  return v.scenario.cells.find((cell) => cell.series === c.series[0] &&
    (v.axisAt < 0 || cell.at[v.axisAt] === x) &&
    v.rest.every((r) => cell.at[v.scenario.axes.indexOf(r.axis)] === r.at));
}

// place formats a value of the axis: "load 0.9", "rate 200/s", or "" if nothing varies.
export function place(v: View, x: number): string {
  return v.axisAt < 0 ? "" : `${v.axis.key} ${axisText("")(v.axis.at[x]!)}${v.axis.unit}`;
}

// shown formats the value of a metric of a cell, as package results does: with ≈ if its error is
// above 25 %, and as a dash if it is above 100 %.
export function shown(v: View, cell: Cell, metric = v.metricAt): string {
  const e = v.model.estimate(cell, metric);
  const off = error(cell, metric);
  return !e || off > 1 ? "–" : (off > 0 ? "≈" : "") + spell(v.model.data.metrics[metric]!.kind, e.mid);
}

// error returns the relative 95 % error of a metric of a cell, or 0 if it is not known to be large.
function error(cell: Cell, metric: number): number {
  return cell.uncertain?.find(([of]) => of === metric)?.[1] ?? 0;
}

// words formats the value of a metric of a cell: "163 ms (150 to 170 ms)".
export function words(v: View, cell: Cell | undefined, metric = v.metricAt, interval = true): string {
  const m = v.model.data.metrics[metric]!;
  const e = cell && v.model.estimate(cell, metric);
  if (!cell || !e) return "–";
  let text = shown(v, cell, metric);
  if (interval && e.lo !== e.hi && !error(cell, metric)) text += ` (${spell(m.kind, e.lo)} to ${spell(m.kind, e.hi)})`;
  return text + (v.model.grows(cell, m) ? ", growing" : "");
}

export function style(v: View, c: Class): number {
  return v.scenario.series[c.series[0]!]!.style;
}

// visible returns the drawn cells with their classes.
export function visible(v: View): { of: Class; cell: Cell; x: number }[] {
  return v.shown.flatMap((of) => v.axis.at.flatMap((_, x) => {
    const cell = cellAt(v, of, x);
    return cell && v.model.estimate(cell, v.metricAt) ? [{ of, cell, x }] : [];
  })).filter((p) => v.axisAt >= 0 || p.x === 0);
}
