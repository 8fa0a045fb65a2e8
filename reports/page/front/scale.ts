// An axis of a chart: positions and ticks.

import { linearMarks, logMarks } from "./ticks";

export interface Scale {
  lo: number;
  hi: number;
  log: boolean;
  marks: number[];
  // from 0 at the low end to 1 at the high end
  at(v: number): number;
  value(at: number): number;
}

function scale(lo: number, hi: number, log: boolean, marks: number[]): Scale {
  const f = log ? Math.log : (v: number): number => v;
  const from = f(lo);
  const length = f(hi) - from || 1;
  const inside = (v: number): boolean => v >= lo - 1e-9 * Math.abs(lo) && v <= hi * (1 + 1e-9);
  return { lo, hi, log, marks: marks.filter(inside),
    at: (v) => (f(v) - from) / length,
    value: (at) => (log ? Math.exp(from + at * length) : from + at * length) };
}

// across returns the axis of the varied quantity, with ticks at the measured values.
export function across(values: number[], log: boolean): Scale {
  let lo = Math.min(...values);
  let hi = Math.max(...values);
  if (log && lo > 0) [lo, hi] = [lo / 1.1, hi * 1.1];
  else {
    const pad = hi > lo ? 0.04 * (hi - lo) : Math.max(Math.abs(lo), 1) / 10;
    [lo, hi] = [lo - pad, hi + pad];
  }
  return scale(lo, hi, log && lo > 0, values);
}

// up returns the axis of values, from a little below the lowest to a little above the highest. A
// linear axis begins at 0 unless values are negative.
export function up(values: number[], log: boolean): Scale {
  const shown = log ? values.filter((v) => v > 0) : values;
  if (shown.length === 0) return scale(log ? 1 : 0, log ? 10 : 1, log, []);
  let lo = Math.min(...shown);
  let hi = Math.max(...shown);
  if (!log) {
    lo = Math.min(lo, 0);
    if (hi <= lo) hi = lo + 1;
    hi += 0.05 * (hi - lo);
    return scale(lo, hi, false, linearMarks(lo, hi, 5));
  }
  const pad = hi / lo < 1.02 ? 1.2 : Math.pow(hi / lo, 0.05);
  return scale(lo / pad, hi * pad, true, logMarks(lo / pad, hi * pad));
}

// window returns the zoomed part of an axis.
export function window(from: number, to: number, log: boolean, marks?: number[]): Scale {
  const [lo, hi] = from < to ? [from, to] : [to, from];
  const ok = !log || lo > 0;
  return scale(lo, hi, log && ok, marks ?? (log && ok ? logMarks(lo, hi) : linearMarks(lo, hi, 5)));
}
