// Interaction with the chart: points, keys, and zooming.

import { Chart, Drawn } from "./chart";
import { svg } from "./dom";
import { part, round } from "./marks";
import { Set } from "./controls";

// near returns the point to which a key leads: along its line, or to the line with the next value
// above or below at the same place.
export function near(all: { x: number; y: number }[][], line: number, at: number, key: string): [number, number] | null {
  const here = all[line]?.[at];
  if (!here) return null;
  const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
  if (step !== undefined) return all[line]![at + step] ? [line, at + step] : null;
  if (key === "Home") return [line, 0];
  if (key === "End") return [line, all[line]!.length - 1];
  if (key !== "ArrowUp" && key !== "ArrowDown") return null;
  // by height, then by line
  const stack = all.flatMap((points, l) => {
    const i = points.findIndex((p) => p.x === here.x);
    return i < 0 ? [] : [{ l, i, y: points[i]!.y }];
  }).sort((a, b) => a.y - b.y || a.l - b.l);
  const next = stack[stack.findIndex((p) => p.l === line) + (key === "ArrowUp" ? 1 : -1)];
  return next ? [next.l, next.i] : null;
}

export interface Pick {
  name: string;
  x: number;
}

// listen makes the points of a chart accessible by keyboard: one by Tab, the others by arrows.
export function listen(c: Chart, d: Drawn, say: (text: string) => void, pick: (p: Pick) => void): void {
  const at = d.points.map((points) => points.map((g) => ({ g, x: Number(g.dataset.x),
    y: c.lines.find((l) => l.name === g.dataset.series)!.points.find((p) => p.x === Number(g.dataset.x))!.y })));
  const first = at.flat().find((p) => p.g.getAttribute("aria-pressed") === "true") ?? at.flat()[0];
  first?.g.setAttribute("tabindex", "0");
  at.forEach((points, line) => points.forEach(({ g, x }, i) => {
    const choose = (): void => pick({ name: g.dataset.series!, x });
    g.addEventListener("focus", () => say(g.getAttribute("aria-label")!));
    g.addEventListener("click", choose);
    g.addEventListener("keydown", (e) => {
      if (e.key === "Enter" || e.key === " ") {
        e.preventDefault();
        choose();
        return;
      }
      const to = near(at, line, i, e.key);
      if (!to) return;
      e.preventDefault();
      d.svg.querySelectorAll('[tabindex="0"]').forEach((o) => o.setAttribute("tabindex", "-1"));
      const next = at[to[0]]![to[1]]!.g;
      next.setAttribute("tabindex", "0");
      next.focus();
    });
  }));
}

// brush zooms to the dragged area. A short drag is a click, and has no effect.
export function brush(c: Chart, d: Drawn, set: Set): void {
  const box = svg("rect", { ...part("muted", "fill"), "fill-opacity": 0.18, visibility: "hidden" });
  d.svg.append(box);
  const place = (e: PointerEvent): [number, number] => {
    const r = d.svg.getBoundingClientRect();
    const inside = (v: number, lo: number, length: number): number => Math.min(Math.max((v - lo) / length, 0), 1);
    return [inside((e.clientX - r.left) * (c.width / r.width), d.plot.left, d.plot.width),
      1 - inside((e.clientY - r.top) * (c.height / r.height), d.plot.top, d.plot.height)];
  };
  let from: [number, number] | null = null;
  d.svg.addEventListener("pointerdown", (e) => {
    if (e.button !== 0 || e.pointerType === "touch" || (e.target as Element).closest(".pb-dot")) return;
    from = place(e);
    d.svg.setPointerCapture(e.pointerId);
    e.preventDefault();
  });
  d.svg.addEventListener("pointermove", (e) => {
    if (!from) return;
    const to = place(e);
    const [left, top] = [Math.min(from[0], to[0]), 1 - Math.max(from[1], to[1])];
    const edges = { x: d.plot.left + left * d.plot.width, y: d.plot.top + top * d.plot.height,
      width: Math.abs(to[0] - from[0]) * d.plot.width, height: Math.abs(to[1] - from[1]) * d.plot.height };
    for (const [k, v] of Object.entries(edges)) box.setAttribute(k, String(round(v)));
    box.setAttribute("visibility", "visible");
  });
  d.svg.addEventListener("pointerup", (e) => {
    const [a, b] = [from, place(e)];
    from = null;
    box.setAttribute("visibility", "hidden");
    if (!a || Math.abs(a[0] - b[0]) * d.plot.width < 12 || Math.abs(a[1] - b[1]) * d.plot.height < 12) return;
    const ends = [c.x.value(Math.min(a[0], b[0])), c.x.value(Math.max(a[0], b[0])),
      c.y.value(Math.min(a[1], b[1])), c.y.value(Math.max(a[1], b[1]))];
    set({ zoom: ends.map((v) => Number(v.toPrecision(4))) });
  });
  d.svg.addEventListener("dblclick", () => set({ zoom: null }));
}
