// Names beside the ends of lines, without overlaps, with leaders to the lines.

import { svg } from "./dom";
import { look, round, tint } from "./marks";

export interface Named {
  text: string;
  style: number;
  x: number; // of the end of the line
  y: number;
}

const high = 17;

// spread moves heights until the distance of neighbours is at least high, within two bounds if they
// fit. Labels that collide share their mean.
export function spread(wanted: number[], top: number, bottom: number): number[] {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a]! - wanted[b]!);
  const blocks: { from: number; n: number; sum: number }[] = [];
  for (const i of order) {
    let block = { from: wanted[i]!, n: 1, sum: wanted[i]! };
    for (;;) {
      const length = (block.n - 1) * high;
      block.from = Math.max(top, Math.min(bottom - length, block.sum / block.n - length / 2));
      const before = blocks[blocks.length - 1];
      if (!before || before.from + before.n * high <= block.from) break;
      blocks.pop();
      block = { from: 0, n: before.n + block.n, sum: before.sum + block.sum };
    }
    blocks.push(block);
  }
  const heights = blocks.flatMap((b) => Array.from({ length: b.n }, (_, i) => b.from + i * high));
  const out = new Array<number>(wanted.length);
  order.forEach((i, at) => (out[i] = heights[at]!));
  return out;
}

export function beside(all: Named[], x: number, top: number, bottom: number): SVGElement[] {
  const heights = spread(all.map((n) => n.y), top, bottom);
  return all.flatMap((n, i) => {
    const y = round(heights[i]!);
    const t = look(n.style).tint;
    return [
      svg("path", { d: `M${n.x + 7} ${n.y}L${round(x + 8)} ${y}`, ...tint(t, "stroke"),
        "stroke-width": 0.9, "data-series": n.text }),
      svg("text", { x: round(x + 12), y: y + 4, "font-weight": "bold", ...tint(t, "fill") }, n.text),
    ];
  });
}
