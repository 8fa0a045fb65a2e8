import type { Frame } from "./course";

// three digits, and never an exponent.
function digits(v: number): string {
  const places = v === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(v))));
  return v.toLocaleString("en", { maximumFractionDigits: Math.min(places, 6), useGrouping: false });
}

// time is a duration in seconds, in words.
export function time(seconds: number): string {
  if (seconds >= 5400) return `${digits(seconds / 3600)} h`;
  if (seconds >= 90) return `${digits(seconds / 60)} min`;
  if (seconds >= 1 || seconds === 0) return `${digits(seconds)} s`;
  if (seconds >= 1e-3) return `${digits(seconds * 1e3)} ms`;
  if (seconds >= 1e-6) return `${digits(seconds * 1e6)} µs`;
  return `${digits(seconds * 1e9)} ns`;
}

const outcomes = ["unsettled", "completed", "failed", "throttled", "shed", "abandoned", "gave up"];

// numbers are what stands in the page's list; – where nobody can tell.
export function numbers(f: Frame): [string, string][] {
  const some = (v: number | null, spell: (v: number) => string): string =>
    v === null ? "–" : spell(v);
  const all: [string, string][] = [
    ["rate", some(f.rate, (v) => `${digits(v)} /s`)],
    ["p50 response", some(f.p50, time)],
    ["p99 response", some(f.p99, time)],
    ["in flight", some(f.in_flight, (v) => f.limit > 0 ? `${v} of ${f.limit}` : String(v))],
  ];
  f.others.forEach((n, i) => {
    if (n > 0) all.push([outcomes[i] ?? "other", String(n)]);
  });
  return all;
}
