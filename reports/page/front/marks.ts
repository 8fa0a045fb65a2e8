// The appearance of series, as specified by package charts (spec.json).

import spec from "./spec.json";
import { svg } from "./dom";

export type Part = keyof typeof spec.parts;

// tint sets a colour, and the class by which a style sheet changes it in dark mode.
export function tint(of: { class: string; light: string }, as: "stroke" | "fill"): Record<string, string> {
  return { class: of.class, [as]: of.light };
}

export const part = (name: Part, as: "stroke" | "fill"): Record<string, string> =>
  tint(spec.parts[name], as);

export interface Look {
  tint: { class: string; light: string };
  marker: { path: string; open: boolean };
  dash: string | null;
}

export function look(style: number): Look {
  const [colour, marker, dash] = spec.looks[style % spec.looks.length]! as [number, number, number];
  return { tint: spec.palette[colour]!, marker: spec.markers[marker]!,
    dash: spec.dashes[dash]!.join(" ") || null };
}

export const lineWidth = spec.lineWidth;
export const fonts = spec.fonts;
export const level = (i: number): string => spec.levels[i % spec.levels.length]!.join(" ");

// marker is hollow if its cell is doubted, otherwise filled.
export function marker(style: number, x: number, y: number, hollow: boolean, size = 1): SVGElement[] {
  const { tint: t, marker: m } = look(style);
  const scale = (spec.markerRadius / 10) * size;
  const place = `translate(${round(x)} ${round(y)}) scale(${round(scale)})`;
  const line = { ...tint(t, "stroke"), "stroke-width": round((m.open && !hollow ? 2.4 : 1.4) / scale),
    d: m.path, transform: place };
  const cover = svg("path", { d: m.open ? spec.markers[0]!.path : m.path, transform: place,
    ...(hollow || m.open ? part("paper", "fill") : tint(t, "fill")) });
  return [cover, svg("path", { ...line })];
}

// swatch returns a sample of the line of a style with its marker.
export function swatch(style: number): SVGSVGElement {
  const { tint: t, dash } = look(style);
  return svg("svg", { class: "pb-swatch", viewBox: "0 0 30 14", width: 30, height: 14,
    "aria-hidden": "true", fill: "none" },
    svg("path", { d: "M1 7H29", ...tint(t, "stroke"), "stroke-width": lineWidth,
      "stroke-dasharray": dash }),
    ...marker(style, 15, 7, false));
}

export const round = (v: number): number => Math.round(v * 100) / 100;
