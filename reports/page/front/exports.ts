// Exports of the shown data as CSV, Markdown, SVG and PNG.

import { axisText } from "./format";
import { verdicts } from "./model";
import { columns, rows, sorted } from "./table";
import { caption, title } from "./figure";
import { place, View, visible } from "./view";

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);

// csv returns a row for each repetition of each shown strategy, with the numbers of results.txt.
export function csv(v: View): string {
  const cols = ["scenario", "strategy", ...v.scenario.axes.map((a) => a.key), "repetition",
    v.metric.unit, "verdict"];
  const out = [cols];
  for (const { of, cell } of visible(v)) {
    for (const s of of.series) {
      const own = v.scenario.cells.find((c) => c.series === s && c.at.join() === cell.at.join());
      own?.runs.forEach((run, repetition) => {
        const value = v.model.value(run, v.metricAt);
        out.push([v.scenario.title, v.model.name(v.scenario, s),
          ...v.scenario.axes.map((a, i) => (own.at[i]! < 0 ? "" : String(a.at[own.at[i]!]))),
          String(repetition), value === null ? "" : String(value), verdicts[own.verdict ?? 0]!]);
      });
    }
  }
  return out.map((row) => row.map(quoted).join(",") + "\r\n").join("");
}

// escaped escapes the markup of a table.
const escaped = (text: string): string =>
  text.replace(/[\\`*_{}[\]<>()#+!|~&]/g, "\\$&").replace(/[\r\n]+/g, " ");

// markdown returns the shown table, with its source and its reliability.
export function markdown(v: View): string {
  const cols = columns(v);
  const line = (cells: string[]): string => `| ${cells.join(" | ")} |`;
  const all = visible(v);
  const trust = verdicts.map((name, i) => `${name} ${all.filter((p) => (p.cell.verdict ?? 0) === i).length}`);
  const where = place(v, v.x);
  return [
    `**${escaped(title(v))}**`, "",
    escaped([v.scenario.title, ...v.scenario.facts, where].filter((t) => t).join(" · ")), "",
    line(cols.map((c) => escaped(c.head))), line(cols.map((_, i) => (i ? "---:" : ":---"))),
    ...sorted(rows(v), cols, v.state.sort).map((r) => line(cols.map((c) => escaped(c.text(r))))), "",
    escaped(caption(v).join(" ")), "",
    `Points shown: ${trust.join(", ")}.`, "",
    ...v.model.data.about.map(([key, value]) => `- ${escaped(key)}: ${escaped(value)}`),
    `- run: ${escaped(v.model.data.title)}`,
    ...(v.model.data.command ? [`- command: ${escaped(v.model.data.command)}`] : []), "",
  ].join("\n");
}

// names of files contain only characters that every system accepts
export const fileName = (v: View, ending: string): string =>
  [v.metric.id, "over", v.axis.key || "strategies", place(v, v.x) && axisText("")(v.axis.at[v.x]!)]
    .join("-").replace(/[^A-Za-z0-9.]+/g, "-").replace(/^-+|-+$/g, "") + "." + ending;

// standalone returns a chart as a file of its own, on paper.
export function standalone(chart: SVGSVGElement, heading: string): string {
  const copy = chart.cloneNode(true) as SVGSVGElement;
  const [, , w, h] = chart.getAttribute("viewBox")!.split(" ").map(Number) as [number, number, number, number];
  const namespace = "http://www.w3.org/2000/svg";
  const head = 24;
  copy.setAttribute("xmlns", namespace);
  copy.setAttribute("viewBox", `0 ${-head} ${w} ${h + head}`);
  copy.setAttribute("height", String(h + head));
  const paper = document.createElementNS(namespace, "rect");
  for (const [k, value] of Object.entries({ y: -head, width: w, height: h + head, fill: "#ffffff" })) {
    paper.setAttribute(k, String(value));
  }
  const text = document.createElementNS(namespace, "text");
  for (const [k, value] of Object.entries({ x: 2, y: -8, "font-weight": "bold", fill: "#1f2328" })) {
    text.setAttribute(k, String(value));
  }
  text.textContent = heading;
  copy.prepend(paper, text);
  copy.querySelectorAll("[tabindex]").forEach((e) => e.removeAttribute("tabindex"));
  return new XMLSerializer().serializeToString(copy);
}

// png draws a chart at twice its size.
export async function png(file: string): Promise<Blob> {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([file], { type: "image/svg+xml" }));
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * image.width, 2 * image.height];
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, fail) =>
    canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("no picture"))), "image/png"));
}

// copy also works without the clipboard API, which browsers offer only to secure addresses.
export async function copy(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const ok = document.execCommand("copy");
  area.remove();
  if (!ok) throw new Error("this browser has no clipboard");
}

export function save(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.download = name;
  link.href = URL.createObjectURL(content);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
