// Statistics of repetitions: of one strategy, and of two in comparison.

export interface Estimate {
  mid: number;
  lo: number;
  hi: number;
}

// Ranks are the ranks, from 1, that bound the interval of the median, by the number of values. Go
// computes them as for its tables.
export type Ranks = [number, number][];

const ascending = (a: number, b: number): number => a - b;

function middle(sorted: number[]): number {
  const n = sorted.length;
  return (sorted[(n - 1) >> 1]! + sorted[n >> 1]!) / 2;
}

// share returns the median of shares. If it is 0 it returns the mean, since one repetition of five
// may lose tasks.
export function share(values: number[]): number {
  if (values.length === 0) return 0;
  const median = middle([...values].sort(ascending));
  return median || values.reduce((a, b) => a + b) / values.length;
}

// estimate returns the median of values with its interval, or null without values.
export function estimate(values: number[], ranks: Ranks): Estimate | null {
  const n = values.length;
  if (n === 0) return null;
  const sorted = [...values].sort(ascending);
  const [lo, hi] = ranks[n] ?? [1, n];
  return { mid: middle(sorted), lo: sorted[lo - 1]!, hi: sorted[hi - 1]! };
}

export interface Ratio extends Estimate {
  // same: equal in each repetition. apart: the interval does not contain 1. few: too few
  // repetitions for any significant difference
  verdict: "same" | "apart" | "not told apart" | "few";
  pairs: boolean;
}

// ratio returns b over a. Repetitions with the same arrivals and task times are pairs, whose ratios
// are estimated like other values. Otherwise the interval is that of Hodges and Lehmann, on a
// logarithmic scale. It contains 1 if the two-sided test of Mann and Whitney is not significant at
// 5 %.
export function ratio(a: number[], b: number[], paired: boolean, ranks: Ranks): Ratio | null {
  if (a.length === 0 || b.length === 0) return null;
  if (a.length === b.length && a.every((v, i) => v === b[i])) {
    return { mid: 1, lo: 1, hi: 1, verdict: "same", pairs: paired };
  }
  if ([...a, ...b].some((v) => v <= 0)) return null;
  if (paired && a.length === b.length) {
    const e = estimate(b.map((v, i) => v / a[i]!), ranks)!;
    return { ...e, verdict: apart(e, a.length), pairs: true };
  }
  const all = a.flatMap((x) => b.map((y) => y / x)).sort(ascending);
  const k = whitneyRank(a.length, b.length);
  const e = { mid: middle(all), lo: all[Math.max(k, 1) - 1]!, hi: all[all.length - Math.max(k, 1)]! };
  return { ...e, verdict: k === 0 ? "few" : apart(e, 2), pairs: false };
}

function apart(e: Estimate, n: number): Ratio["verdict"] {
  if (n < 2) return "few";
  return e.lo > 1 || e.hi < 1 ? "apart" : "not told apart";
}

// whitneyRank returns the rank of the ratio, among all n·m, at which the 95 % interval begins. The
// interval ends at the same rank from above. It returns 0 if n and m are too small for an interval.
export function whitneyRank(n: number, m: number): number {
  // ways[u] is the number of arrangements of n and m values with u pairs in one order, by the
  // generating function of Mann and Whitney.
  let ways = [1];
  for (let i = 1; i <= n; i++) {
    ways = divided(times(ways, m + i), i);
  }
  const total = ways.reduce((sum, w) => sum + w, 0);
  let below = 0;
  for (let u = 0; u < ways.length; u++) {
    below += ways[u]! / total;
    if (below > 0.025) return u;
  }
  return 0;
}

// times multiplies a polynomial by 1 − x^k. divided divides it by 1 − x^k.
function times(p: number[], k: number): number[] {
  const out = [...p, ...new Array<number>(k).fill(0)];
  p.forEach((w, i) => (out[i + k]! -= w));
  return out;
}

function divided(p: number[], k: number): number[] {
  const out = p.slice(0, p.length - k);
  for (let i = k; i < out.length; i++) out[i]! += out[i - k]!;
  return out;
}
