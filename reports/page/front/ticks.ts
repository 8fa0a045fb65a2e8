// Round values on axes, by the rules of package charts. A test compares them with Go.

const pow10 = (n: number): number => Number("1e" + n);

// linearMarks returns about count+1 round values from at most lo to at least hi.
export function linearMarks(lo: number, hi: number, count: number): number[] {
  const raw = (hi - lo) / count;
  if (raw <= 0) return [lo];
  const size = pow10(Math.floor(Math.log10(raw)));
  const step = (([1, 2, 2.5, 5].find((m) => m * size >= raw * (1 - 1e-9)) ?? 10) as number) * size;
  const first = Math.floor(lo / step + 1e-9);
  const last = Math.ceil(hi / step - 1e-9);
  const marks: number[] = [];
  for (let n = first; n <= last && n - first <= 2 * count + 2; n++) marks.push(n * step);
  return marks;
}

// logMarks returns round values from at most lo to at least hi: decades, multiples of 1, 2 and 5,
// more multiples, or round steps on a short range.
export function logMarks(lo: number, hi: number): number[] {
  const decades = Math.log10(hi / lo);
  let within = [1];
  let every = 1;
  if (decades > 2.2) every = Math.ceil(decades / 7);
  else if (decades > 0.9) within = [1, 2, 5];
  else if (decades > 0.4) within = [1, 1.5, 2, 3, 4, 5, 7];
  else return linearMarks(lo, hi, 5);
  const first = Math.floor(Math.log10(lo)) - 1;
  const last = Math.ceil(Math.log10(hi)) + 1;
  let marks: number[] = [];
  for (let d = first; d <= last; d++) {
    if (d % every !== 0) continue;
    for (const m of within) {
      const v = m * pow10(d);
      if (v <= lo * (1 + 1e-9)) marks = [v];
      else {
        marks.push(v);
        if (v >= hi * (1 - 1e-9)) return marks;
      }
    }
  }
  return marks;
}
