// Classes: strategies that coincide in every point are drawn once.

import { Model } from "./model";
import { Scenario } from "./types";

export interface Class {
  series: number[]; // of the scenario, in its order. The first one determines the style
  name: string; // of the first
  label: string;
}

// classes groups the strategies of a scenario with equal values, in each repetition and at each
// place, of the shown metric and of each metric that callers can observe.
export function classes(model: Model, scenario: Scenario, shown: number): Class[] {
  const metrics = model.data.metrics
    .map((m, i) => (m.behaviour || i === shown ? i : -1))
    .filter((i) => i >= 0);
  const of = new Map<string, number[]>();
  scenario.series.forEach((_, s) => {
    const key = scenario.cells
      .filter((c) => c.series === s)
      .map((c) => [c.at, c.runs.map((r) => metrics.map((m) => model.value(r, m)))]);
    const text = JSON.stringify(key);
    of.set(text, [...(of.get(text) ?? []), s]);
  });
  const out = [...of.values()].map((series) => ({
    series,
    name: model.name(scenario, series[0]!),
    label: label(model, scenario, series),
  }));
  // the first strategies distinguish two classes with the same label
  return out.map((c) => out.some((o) => o !== c && o.label === c.label)
    ? { ...c, label: `${c.label} (${c.name} …)` } : c);
}

// label names a class. If the oracle found each run of one strategy to be first in, first out, the
// others of its class are so, too.
function label(model: Model, scenario: Scenario, series: number[]): string {
  if (series.length === 1) return model.name(scenario, series[0]!);
  const { sources, strategies } = model.data;
  const distinct = (of: (s: Scenario["series"][0]) => number): number[] =>
    [...new Set(series.map((i) => of(scenario.series[i]!)))];
  const who = distinct((s) => s.strategy);
  const where = sources ? " in " + distinct((s) => s.source ?? 0).map((i) => sources[i]).join(" and ") : "";
  if (who.length === 1) return strategies[who[0]!] + where;
  const oracle = model.metric("oracle-max-diff-sec");
  const cells = scenario.cells.filter((c) => series.includes(c.series));
  const fifo = oracle >= 0 && series.some((s) => cells.every((c) => c.series !== s ||
    c.runs.every((r) => model.value(r, oracle) === 0)));
  const shed = model.metric("shed/op");
  const sheds = shed >= 0 && cells.some((c) => c.runs.some((r) => (model.value(r, shed) ?? 0) > 0));
  if (!fifo) return `${who.length} that coincide${where}`;
  return `${who.length} ${sheds ? "shedding " : ""}FIFO strategies${where}`;
}
