// What repetitions say: of one strategy, and of one against another.

export interface Estimate {
  mid: number;
  lo: number;
  hi: number;
}

// Ranks are, by the number of values, those between which the interval of their median lies (from
// 1): Go computes them, with the rule of its tables.
export type Ranks = [number, number][];

const ascending = (a: number, b: number): number => a - b;

function middle(sorted: number[]): number {
  const n = sorted.length;
  return (sorted[(n - 1) >> 1]! + sorted[n >> 1]!) / 2;
}

// share is the median of shares, or where that is 0 the mean, since of five one may lose tasks.
export function share(values: number[]): number {
  if (values.length === 0) return 0;
  const median = middle([...values].sort(ascending));
  return median || values.reduce((a, b) => a + b) / values.length;
}

// estimate is the median of values with its interval; null where there are none.
export function estimate(values: number[], ranks: Ranks): Estimate | null {
  const n = values.length;
  if (n === 0) return null;
  const sorted = [...values].sort(ascending);
  const [lo, hi] = ranks[n] ?? [1, n];
  return { mid: middle(sorted), lo: sorted[lo - 1]!, hi: sorted[hi - 1]! };
}

export interface Ratio extends Estimate {
  // same: equal in each repetition; apart: the interval does not hold 1; few: no number of such
  // repetitions could tell them apart
  verdict: "same" | "apart" | "not told apart" | "few";
  pairs: boolean;
}

// ratio is b over a. Repetitions with the same arrivals and task times make pairs, whose ratios are
// an estimate like any other. Else the interval is that of Hodges and Lehmann, on a logarithmic
// scale: it holds 1 where the two-sided test of Mann and Whitney does not tell the two apart at 5 %.
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

// whitneyRank is the rank of the ratio, among all n·m, from which the 95 % interval reaches to the
// one of the same rank from above; 0 where so few have no such interval.
export function whitneyRank(n: number, m: number): number {
  // ways[u]: arrangements of n and m values in which u pairs are in one order, built up by the
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

// times multiplies a polynomial by 1 − x^k, divided divides it by that.
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
