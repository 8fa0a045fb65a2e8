// Formats of numbers as in internal/text (measured values) and package charts (axes). A test
// compares them with Go.

// fixed formats x with a number of decimals. It rounds ties to even, as Go does. toFixed rounds
// them up.
export function fixed(x: number, decimals: number): string {
  const exact = x.toFixed(Math.min(decimals + 30, 100));
  const tail = exact.slice(exact.length - 30);
  if (/^50*$/.test(tail)) {
    const down = exact.slice(0, exact.length - 30).replace(/\.$/, "");
    if (Number(down.slice(-1)) % 2 === 0) return down;
  }
  return x.toFixed(decimals);
}

// precise rounds x to a number of significant digits.
function precise(x: number, digits: number): number {
  if (x === 0) return 0;
  const exponent = Number(x.toExponential(20).split("e")[1]);
  const decimals = digits - 1 - exponent;
  return decimals < 0 ? Number(x.toPrecision(digits)) : Number(fixed(x, Math.min(decimals, 70)));
}

export function digits(x: number): string {
  if (x === 0 || !isFinite(x)) return String(x);
  if (Math.abs(x) < 1000) x = precise(x, 3);
  const before = Math.floor(Math.log10(Math.abs(x))) + 1;
  return fixed(x, Math.max(0, 3 - before));
}

type Step = [name: string, size: number, least: number];

const measuredTimes: Step[] = [
  ["d", 86400, 2 * 86400],
  ["h", 3600, 3599.5],
  ["s", 1, 0.9995],
  ["ms", 1e-3, 0.9995e-3],
  ["µs", 1e-6, 0.9995e-6],
];

export function seconds(s: number): string {
  if (s === 0) return "0 s";
  for (const [name, size, least] of measuredTimes) {
    if (Math.abs(s) >= least) return digits(s / size) + " " + name;
  }
  return digits(s / 1e-9) + " ns";
}

function share(x: number): string {
  return x > 0.9995 && x < 1 ? ">99.9 %" : digits(100 * x) + " %";
}

// spell formats a measured value of a kind of metric.
export function spell(kind: string, v: number): string {
  switch (kind) {
    case "seconds":
      return seconds(v);
    case "rate":
      return digits(v) + " /s";
    case "bytes":
      return digits(v) + " B";
    case "speed":
      return digits(v / 1e6) + " MB/s";
    case "share":
      return share(v);
  }
  return digits(v);
}

function short(v: number): string {
  const r = precise(v, 4);
  if (r === 0 || (Math.abs(r) < 1e7 && Math.abs(r) >= 1e-6)) return String(r);
  return r.toExponential().replace(/([+-])(\d)$/, "$10$2"); // two digits, as in Go
}

const axisTimes: Step[] = [
  ["d", 86400, 2 * 86400],
  ["h", 3600, 0.99995e5],
  ["s", 1, 0.99995],
  ["ms", 1e-3, 0.99995e-3],
  ["µs", 1e-6, 0.99995e-6],
];

export function axisSeconds(s: number): string {
  if (s === 0) return "0 s";
  for (const [name, size, least] of axisTimes) {
    if (Math.abs(s) >= least) return short(s / size) + " " + name;
  }
  return short(s / 1e-9) + " ns";
}

export function axisCount(v: number): string {
  const units: [number, string][] = [[1e9, "G"], [1e6, "M"], [1e3, "k"]];
  for (const [size, name] of units) {
    if (Math.abs(v) >= size * 0.99995) return short(v / size) + name;
  }
  return short(v);
}

// axisText formats a value on an axis of a kind of metric.
export function axisText(kind: string): (v: number) => string {
  if (kind === "seconds") return axisSeconds;
  if (kind === "share") return (v) => short(100 * v) + " %";
  return axisCount;
}
