// Elements. Text is set only as text, so data is never parsed as markup.

type Attributes = Record<string, string | number | boolean | null | ((e: never) => void)>;
export type Child = Node | string | null;

function fill<E extends Element>(e: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue;
    if (typeof value === "function") e.addEventListener(name, value as EventListener);
    else e.setAttribute(name, value === true ? "" : String(value));
  }
  e.append(...children.filter((c) => c !== null));
  return e;
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

const namespace = "http://www.w3.org/2000/svg";

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS(namespace, tag), attributes, children);
}

// brief shortens a long text in the middle.
export function brief(text: string, most = 40): string {
  const letters = [...text];
  if (letters.length <= most) return text;
  const half = (most - 1) >> 1;
  return letters.slice(0, half).join("") + "…" + letters.slice(letters.length - half).join("");
}

// fit shortens a text to a width in the widest likely font.
export function fit(text: string, size: number, most: number): string {
  let out = text;
  for (let n = text.length; n > 3 && width(out, size, true) > most; n--) out = brief(text, n);
  return out;
}

let canvas: CanvasRenderingContext2D | null = null;

// The reader's font may be wider than this one: DejaVu Sans is about 18 % wider than Liberation
// Sans, the narrowest likely font, and its bold letters 28 %.
const widest = (bold: boolean): number => (bold ? 1.28 : 1.18);

// width returns the width of a text in the widest likely font, in pixels.
export function width(text: string, size: number, bold = false): number {
  canvas ??= document.createElement("canvas").getContext("2d");
  if (!canvas) return text.length * size * 0.65;
  canvas.font = `${bold ? "bold " : ""}${size}px "Liberation Sans", Arial, Helvetica, sans-serif`;
  return canvas.measureText(text).width * widest(bold);
}
