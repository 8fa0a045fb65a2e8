// Access to the data of a page.

import { Data, Scenario, Cell, Metric } from "./types";
import { spell } from "./format";
import { Estimate, Ranks, estimate, share } from "./stats";

export const verdicts = ["VALID", "SUSPECT", "INVALID"] as const;

export class Model {
  // position of a metric's value in a run, by shape
  private readonly where: Map<number, number>[];

  constructor(readonly data: Data) {
    this.where = data.shapes.map((shape) => new Map(shape.map((m, i) => [m, i + 1])));
  }

  get ranks(): Ranks {
    return this.data.ranks;
  }

  value(run: number, metric: number): number | null {
    const values = this.data.runs[run]!;
    const at = this.where[values[0]!]!.get(metric);
    return at === undefined ? null : values[at]!;
  }

  values(cell: Cell, metric: number): number[] {
    return cell.runs.map((r) => this.value(r, metric)).filter((v) => v !== null);
  }

  estimate(cell: Cell, metric: number): Estimate | null {
    return metric < 0 ? null : estimate(this.values(cell, metric), this.ranks);
  }

  has(scenario: Scenario, metric: number): boolean {
    return scenario.cells.some((c) => c.runs.some((r) => this.value(r, metric) !== null));
  }

  // share returns the share of the cells that have a metric.
  share(scenario: Scenario, metric: number): number {
    return scenario.cells.filter((c) => this.values(c, metric).length > 0).length / scenario.cells.length;
  }

  // varies reports whether a metric has more than one value.
  varies(scenario: Scenario, metric: number): boolean {
    const seen = new Set<number>();
    for (const c of scenario.cells) {
      for (const v of this.values(c, metric)) seen.add(v);
      if (seen.size > 1) return true;
    }
    return false;
  }

  metric(id: string): number {
    return this.data.metrics.findIndex((m) => m.id === id || m.unit === id);
  }

  name(scenario: Scenario, series: number): string {
    const s = scenario.series[series]!;
    const name = this.data.strategies[s.strategy]!;
    return this.data.sources ? `${name} in ${this.data.sources[s.source ?? 0]}` : name;
  }

  // twin returns the same strategy in the first of several results, or −1.
  twin(scenario: Scenario, series: number): number {
    const { strategy } = scenario.series[series]!;
    return scenario.series.findIndex((s) => s.strategy === strategy && !s.source);
  }

  // loss describes the tasks that did not complete, as package results does.
  loss(cell: Cell): string {
    const shares = ["shed", "throttled", "failed", "abandoned", "gave-up"].flatMap((what) => {
      const lost = share(this.values(cell, this.metric(what + "/op")));
      return lost > 0 ? [`${spell("share", lost)} ${what.replace("-", " ")}`] : [];
    });
    return shares.length ? ` (${shares.join(", ").replace(" %", " % of tasks")})` : "";
  }

  // grows reports whether a cell's value of the metric depends on the length of the run.
  grows(cell: Cell, metric: Metric): boolean {
    return !!cell.growing && metric.grows;
  }
}
