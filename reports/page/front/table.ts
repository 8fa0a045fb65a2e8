// The table at one place, sorted by any column and filtered by name.

import { h } from "./dom";
import { spell } from "./format";
import { swatch } from "./marks";
import { verdicts } from "./model";
import { ratio, Ratio } from "./stats";
import { Class } from "./classes";
import { Cell } from "./types";
import { baseOf, cellAt, place, style, View, words } from "./view";

export interface Column {
  key: string;
  head: string;
  value: (row: Row) => number | string;
  text: (row: Row) => string;
}

export interface Row {
  of: Class;
  cell: Cell;
}

// columns returns the shown metric, its comparison with the baseline, and related metrics.
export function columns(v: View): Column[] {
  const metrics = [v.metricAt];
  for (const id of ["p50", "p99", "goodput-ops/s", "shed/op"]) {
    const at = v.model.metric(id);
    if (at >= 0 && !metrics.includes(at) && v.model.varies(v.scenario, at)) metrics.push(at);
  }
  const out: Column[] = [{ key: "name", head: "strategy", value: (r) => r.of.label, text: (r) => r.of.label }];
  metrics.forEach((at, i) => {
    const m = v.model.data.metrics[at]!;
    out.push({ key: m.id, head: m.label, text: (r) => words(v, r.cell, at, i === 0),
      value: (r) => v.model.estimate(r.cell, at)?.mid ?? Infinity });
    const base = v.base?.label ?? v.model.data.sources?.[0];
    if (i === 0 && base !== undefined) {
      out.push({ key: "ratio", head: `against ${base}, ${v.scenario.paired ? "median of pairs" : "Hodges–Lehmann"}`, text: (r) => against(v, r),
        value: (r) => ratioOf(v, r)?.mid ?? Infinity });
    }
  });
  out.push({ key: "trust", head: "trust", value: (r) => r.cell.verdict ?? 0,
    text: (r) => verdicts[r.cell.verdict ?? 0]! });
  return out;
}

function ratioOf(v: View, r: Row): Ratio | null {
  const of = baseOf(v, r.of);
  const base = of && cellAt(v, of, v.x);
  if (!base) return null;
  return ratio(v.model.values(base, v.metricAt), v.model.values(r.cell, v.metricAt),
    v.scenario.paired, v.model.ranks);
}

// against formats a ratio. With too few repetitions for a 95 % interval it describes the bounds.
export function against(v: View, r: Row): string {
  if (baseOf(v, r.of) === r.of) return v.base || r.of.series.length === 1 ? "baseline" : "the same";
  const x = ratioOf(v, r);
  if (!x) return "–";
  if (x.verdict === "same") return "the same";
  const d = (f: number): string => spell("number", f);
  const text = `${d(x.mid)} × (${d(x.lo)} to ${d(x.hi)})`;
  switch (x.verdict) {
    case "apart":
      return text;
    case "few":
      return `no significant difference: ${text}, too few repetitions`;
  }
  return `no significant difference: ${text}`;
}

export function rows(v: View): Row[] {
  const wanted = v.state.filter.toLowerCase();
  return v.classes.flatMap((of) => {
    const cell = cellAt(v, of, v.x);
    const names = [of.label, ...of.series.map((s) => v.model.name(v.scenario, s))];
    return cell && names.some((n) => n.toLowerCase().includes(wanted)) ? [{ of, cell }] : [];
  });
}

export function sorted(all: Row[], cols: Column[], sort: string): Row[] {
  const down = sort.startsWith("-");
  const by = cols.find((c) => c.key === (down ? sort.slice(1) : sort));
  if (!by) return all;
  return [...all].sort((a, b) => {
    const [x, y] = [by.value(a), by.value(b)];
    const less = typeof x === "string" ? x.localeCompare(String(y)) : x === y ? 0 : x < (y as number) ? -1 : 1;
    return down ? -less : less;
  });
}

export function table(v: View, set: (change: { sort: string }) => void): HTMLElement {
  const cols = columns(v);
  const { sort } = v.state;
  const heads = cols.map((c) => {
    const now = sort === c.key ? "ascending" : sort === "-" + c.key ? "descending" : null;
    return h("th", { scope: "col", "aria-sort": now },
      h("button", { type: "button", "data-sort": c.key,
        click: () => set({ sort: now === "ascending" ? "-" + c.key : c.key }) },
        c.head, h("span", { "aria-hidden": "true" }, now === "ascending" ? " ▲" : now ? " ▼" : "")));
  });
  const body = sorted(rows(v), cols, sort).map((r) =>
    h("tr", { "data-series": r.of.name },
      ...cols.map((c, i) => i === 0 ? h("th", { scope: "row" }, swatch(style(v, r.of)), " ", h("span", {}, c.text(r)))
        : h("td", c.key === "trust" && r.cell.verdict ? { class: "bad", title: doubts(v, r.cell) } : {}, c.text(r)))));
  const where = place(v, v.x);
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Values" + (where && " at " + where) },
    h("table", {}, h("caption", {}, "Values" + (where && " at " + where)),
      h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...body)));
}

export const doubts = (v: View, cell: Cell): string =>
  (cell.reasons ?? []).map((i) => v.model.data.reasons[i]).join("; ");
