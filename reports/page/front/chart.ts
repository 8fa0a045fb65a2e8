// A line chart with names beside the lines or below.

import { brief, fit, svg, width } from "./dom";
import { fonts, level, lineWidth, look, marker, part, round, swatch, tint } from "./marks";
import { Scale } from "./scale";
import { beside, Named } from "./labels";

export interface Point {
  x: number;
  y: number;
  lo?: number;
  hi?: number;
  growing?: boolean;
  doubted?: boolean;
  chosen?: boolean;
  parted?: boolean; // no line leads to it
  text: string; // text alternative
}

export interface Line {
  name: string;
  style: number;
  end: string; // text beside the last point
  points: Point[];
  theory?: Point[];
  bare?: boolean; // without markers
  steps?: boolean;
}

export interface Chart {
  label: string; // text alternative
  width: number;
  height: number;
  x: Scale;
  y: Scale;
  xLabel: string;
  yLabel: string;
  xText: (v: number) => string;
  yText: (v: number) => string;
  lines: Line[];
  levels: { name: string; y: number }[];
  walls: { name: string; x: number }[];
  names: boolean; // beside the lines
}

export interface Drawn {
  svg: SVGSVGElement;
  // the points, by line, in the order of the axis
  points: SVGGElement[][];
  plot: { left: number; top: number; width: number; height: number };
}

const size = 12;

export function draw(c: Chart): Drawn {
  const named: Named[] = [];
  const names = c.lines.map((l) => fit(brief(l.end, 60), size, c.width * 0.42 - 24));
  const room = c.names ? Math.min(c.width * 0.42, 24 + Math.max(0, ...names.map((n) => width(n, size, true)))) : 14;
  const left = 12 + Math.max(24, ...c.y.marks.map((v) => width(c.yText(v), size)));
  const plot = { left, top: 26, width: Math.max(60, c.width - left - room),
    height: c.height - 26 - 44 };
  const px = (v: number): number => round(plot.left + c.x.at(v) * plot.width);
  const py = (v: number): number => round(plot.top + (1 - c.y.at(v)) * plot.height);
  const root = svg("svg", { viewBox: `0 0 ${c.width} ${c.height}`, width: c.width,
    height: c.height, role: "group", "aria-label": c.label, "font-family": fonts,
    "font-size": size, fill: "none" });
  frame(root, c, plot, px, py);
  const within = (p: Point): boolean => p.x >= c.x.lo && p.x <= c.x.hi &&
    (p.growing || (p.y >= c.y.lo * (1 - 1e-9) && p.y <= c.y.hi * (1 + 1e-9)));
  const clamp = (v: number): number => py(Math.min(c.y.hi, Math.max(c.y.lo, v)));
  const points: SVGGElement[][] = [];
  const marks = svg("g");
  c.lines.forEach((l, i) => {
    const { tint: t, dash } = look(l.style);
    const along = (all: Point[]): string => all
      .filter((p) => p.x >= c.x.lo && p.x <= c.x.hi && (p.y > 0 || !c.y.log))
      .map((p, j) => (j && !p.parted ? (l.steps ? `H${px(p.x)}V` : `L${px(p.x)} `) : `M${px(p.x)} `) +
        (l.steps && j ? clamp(p.y) : clamp(p.y)))
      .join("");
    if (l.theory?.length) {
      root.append(svg("path", { d: along(l.theory), ...part("muted", "stroke"),
        "stroke-width": 7, "stroke-opacity": 0.32, "data-theory": l.name }));
    }
    root.append(svg("path", { d: along(l.points), ...tint(t, "stroke"),
      "stroke-width": lineWidth, "stroke-dasharray": dash, "data-series": l.name }));
    const mine: SVGGElement[] = [];
    for (const p of l.bare ? [] : l.points.filter(within)) {
      const [x, y] = [px(p.x), clamp(p.y)];
      const g = svg("g", { class: "pb-dot", tabindex: -1, role: "button", "aria-label": p.text,
        "aria-pressed": p.chosen ? "true" : "false", "data-series": l.name, "data-x": p.x },
        svg("title", {}, p.text));
      const bar = p.lo !== undefined && p.hi !== undefined && !p.growing &&
        Math.abs(clamp(p.lo) - clamp(p.hi)) > 8;
      if (bar) {
        g.append(svg("path", { ...tint(t, "stroke"), "stroke-width": 1.2,
          d: `M${x} ${clamp(p.lo!)}V${clamp(p.hi!)}M${x - 2.5} ${clamp(p.lo!)}h5M${x - 2.5} ${clamp(p.hi!)}h5` }));
      }
      if (p.growing) {
        g.append(svg("path", { ...tint(t, "stroke"), "stroke-width": 1.4,
          class: t.class + " pb-arrow", d: `M${x} ${y}v-15m-3.5 4.5l3.5 -4.5l3.5 4.5` }));
      }
      if (p.chosen) {
        g.append(svg("circle", { cx: x, cy: y, r: 9, ...part("ink", "stroke"),
          "stroke-width": 1.4 }));
      }
      g.append(...marker(l.style, x, y, !!p.doubted),
        svg("circle", { cx: x, cy: y, r: 12, "pointer-events": "all" }));
      mine.push(g);
    }
    marks.append(...mine);
    points.push(mine);
    const last = [...l.points].reverse().find(within) ??
      [...l.points].reverse().find((p) => p.x >= c.x.lo && p.x <= c.x.hi);
    if (last && c.names) named.push({ text: names[i]!, style: l.style, x: px(last.x), y: clamp(last.y) });
  });
  root.append(marks, ...beside(named, plot.left + plot.width + 8, plot.top, plot.top + plot.height));
  return { svg: root, points, plot };
}

type Place = (v: number) => number;

// frame draws the grid and the axes behind the lines.
function frame(root: SVGSVGElement, c: Chart, p: Drawn["plot"], px: Place, py: Place): void {
  const right = p.left + p.width;
  const bottom = p.top + p.height;
  for (const v of c.y.marks) {
    root.append(
      svg("path", { d: `M${p.left} ${py(v)}H${right}`, ...part("grid", "stroke") }),
      svg("text", { x: p.left - 7, y: py(v) + 4, "text-anchor": "end", ...part("muted", "fill") },
        c.yText(v)));
  }
  root.append(svg("path", { d: `M${p.left} ${bottom}H${right}`, ...part("rule", "stroke") }));
  let end = -Infinity;
  for (const v of c.x.marks) {
    const half = width(c.xText(v), size) / 2;
    if (px(v) - half < end) continue;
    end = px(v) + half + 4;
    root.append(svg("text", { x: px(v), y: bottom + 17, "text-anchor": "middle",
      ...part("muted", "fill") }, c.xText(v)));
  }
  root.append(
    svg("text", { x: p.left + p.width / 2, y: bottom + 36, "text-anchor": "middle",
      ...part("muted", "fill") }, c.xLabel),
    svg("text", { x: 2, y: 12, ...part("muted", "fill") }, c.yLabel));
  c.levels.filter((l) => l.y >= c.y.lo && l.y <= c.y.hi).forEach((l, i) => root.append(
    svg("path", { d: `M${p.left} ${py(l.y)}H${right}`, ...part("ink", "stroke"),
      "stroke-width": 1.2, "stroke-dasharray": level(i) }),
    svg("text", { x: p.left + 4, y: py(l.y) - 4, ...part("muted", "fill") }, l.name)));
  c.walls.filter((w) => w.x > c.x.lo && w.x < c.x.hi).forEach((w) => root.append(
    svg("path", { d: `M${px(w.x)} ${p.top}V${bottom}`, ...part("muted", "stroke"),
      "stroke-width": 1.2, "stroke-dasharray": level(0) }),
    svg("text", { x: px(w.x) - 5, y: p.top + 10, "text-anchor": "end", ...part("muted", "fill") },
      w.name)));
}

// legend returns the names below a chart, for charts without names beside the lines.
export function legend(lines: Line[], into: HTMLElement): void {
  for (const l of lines) {
    const li = document.createElement("li");
    const name = document.createElement("span");
    name.textContent = l.end;
    li.append(swatch(l.style), name);
    into.append(li);
  }
}
