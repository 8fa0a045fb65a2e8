// The state of the explorer in a link: #explore?m=p99&s=worker_pool,codel_lifo&x=0.9&v=1

export interface State {
  scenario: string; // id; "": the first
  metric: string; // id
  axis: string; // key; "": the first
  linear: boolean | null; // null: the metric's default
  shown: string[] | null; // strategies; null: the first few classes
  x: number | null; // the place of the table and the panels; null: the last
  point: string; // the strategy shown over time. "": none
  base: string; // the baseline strategy. "": none
  at: Record<string, number>; // values of the other axes
  zoom: number[] | null; // x from, to, y from, to
  sort: string; // a column of the table, with "-" for descending order
  filter: string;
}

export const version = 1;

export function fresh(metric: string): State {
  return { scenario: "", metric, axis: "", linear: null, shown: null, x: null, point: "",
    base: "", at: {}, zoom: null, sort: "", filter: "" };
}

const list = (names: string[]): string => names.map(encodeURIComponent).join(",");

// encode returns the part of an address after #.
export function encode(s: State): string {
  const parts: string[] = [];
  const put = (key: string, value: string): void => {
    parts.push(key + "=" + value);
  };
  if (s.scenario) put("g", encodeURIComponent(s.scenario));
  put("m", encodeURIComponent(s.metric));
  if (s.axis) put("over", encodeURIComponent(s.axis));
  for (const key of Object.keys(s.at).sort()) put("at." + encodeURIComponent(key), String(s.at[key]));
  if (s.linear !== null) put("scale", s.linear ? "linear" : "log");
  if (s.shown) put("s", list(s.shown));
  if (s.x !== null) put("x", String(s.x));
  if (s.point) put("p", encodeURIComponent(s.point));
  if (s.base) put("base", encodeURIComponent(s.base));
  if (s.zoom) put("zoom", s.zoom.join(","));
  if (s.sort) put("sort", encodeURIComponent(s.sort));
  if (s.filter) put("f", encodeURIComponent(s.filter));
  put("v", String(version));
  return "explore?" + parts.join("&");
}

const number = (text: string): number | null => {
  const v = Number(text);
  return text !== "" && isFinite(v) ? v : null;
};

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// decode is the inverse of encode. It returns null if the address does not belong to the explorer,
// or has a later version. Unknown and invalid parts keep their defaults.
export function decode(hash: string, metric: string): State | null {
  const found = /^#?explore\?(.*)$/s.exec(hash);
  if (!found) return null;
  const s = fresh(metric);
  for (const part of found[1]!.split("&")) {
    const [key = "", raw = ""] = part.split(/=(.*)/s);
    const value = decoded(raw);
    if (key === "v" && value !== String(version)) return null;
    else if (key === "g") s.scenario = value;
    else if (key === "m") s.metric = value;
    else if (key === "over") s.axis = value;
    else if (key === "scale") s.linear = value === "linear";
    else if (key === "s") s.shown = raw === "" ? [] : raw.split(",").map(decoded);
    else if (key === "x") s.x = number(value);
    else if (key === "p") s.point = value;
    else if (key === "base") s.base = value;
    else if (key === "sort") s.sort = value;
    else if (key === "f") s.filter = value;
    else if (key === "zoom") {
      const ends = value.split(",").map(Number);
      if (ends.length === 4 && ends.every(isFinite)) s.zoom = ends;
    } else if (key.startsWith("at.")) {
      const v = number(value);
      if (v !== null) s.at[decoded(key.slice(3))] = v;
    }
  }
  return s;
}
