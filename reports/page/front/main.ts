// The explorer: draws the state, and redraws it after every change.

import { draw, legend } from "./chart";
import { chips, controls } from "./controls";
import { h } from "./dom";
import { copy, csv, fileName, markdown, png, save, standalone } from "./exports";
import { caption, chart, title } from "./figure";
import { Model } from "./model";
import { course, distribution, Panel } from "./panels";
import { brush, listen } from "./pointer";
import { decode, encode, fresh, State } from "./state";
import { table } from "./table";
import { mostShown, View, view } from "./view";
import { Data } from "./types";

function start(root: HTMLElement, data: Data): void {
  const model = new Model(data);
  let first = data.metrics[0]?.id ?? "";
  let state: State = fresh("");
  state.metric = first = view(model, state).metric.id;
  state = decode(location.hash, first) ?? state;
  const live = h("p", { class: "live", "aria-live": "polite" });
  const body = h("div");
  root.append(body, live);
  const say = (text: string): void => {
    live.textContent = text;
  };

  // each step is one entry of the browser's history, so Back redraws the previous state
  const set = (change: Partial<State>): void => {
    state = { ...state, ...change };
    location.hash = encode(state);
    render();
  };
  const restore = (): void => {
    const from = decode(location.hash, first) ?? (location.hash === "" ? fresh(first) : null);
    if (from && encode(from) !== encode(state)) {
      state = from;
      render();
    }
  };

  function panel(p: Panel): HTMLElement {
    const figure = h("figure", {}, h("h3", {}, p.title));
    for (const c of p.charts) {
      const d = draw(c);
      d.svg.setAttribute("role", "img");
      figure.append(h("div", { class: "drawn" }, d.svg));
      if (!c.names && c.lines.length > 1) {
        const names = h("ul", { class: "legend" });
        legend(c.lines, names);
        figure.append(names);
      }
    }
    figure.append(h("figcaption", {}, p.note));
    return figure;
  }

  function figure(v: View, width: number): HTMLElement {
    const c = chart(v, width);
    const d = draw(c);
    const drawn = h("div", { class: "drawn" }, d.svg);
    listen(c, d, say, (p) => {
      const same = state.point === p.name && state.x === p.x;
      set(same ? { point: "" } : { point: p.name, x: p.x });
    });
    brush(c, d, set);
    const heading = title(v);
    const out = h("figure", { class: "main" },
      h("h3", {}, heading),
      h("p", { class: "aside" }, [v.scenario.title, ...v.scenario.facts].join(" · ")), drawn);
    if (!c.names) {
      const names = h("ul", { class: "legend" });
      legend(c.lines, names);
      out.append(names);
    }
    const file = (): string => standalone(d.svg, heading);
    const act = (name: string, what: () => void | Promise<void>): HTMLElement =>
      h("button", { type: "button", "data-do": name, click: () => {
        void Promise.resolve(what()).then(() => say(name + ": done"), (e) => say(`${name}: ${String(e)}`));
      } }, name);
    const blob = (text: string, type: string): Blob => new Blob([text], { type });
    out.append(h("figcaption", {}, caption(v).join(" ")),
      h("div", { class: "actions" },
        act("copy link", () => {
          location.hash = encode(state);
          return copy(location.href);
        }),
        act("SVG", () => save(fileName(v, "svg"), blob(file(), "image/svg+xml"))),
        act("PNG", async () => save(fileName(v, "png"), await png(file()))),
        act("CSV", () => save(fileName(v, "csv"), blob(csv(v), "text/csv"))),
        act("copy as Markdown", () => copy(markdown(v)))));
    return out;
  }

  // filter is for long lists
  function filter(v: View): HTMLElement | string {
    if (v.classes.length <= mostShown && !v.state.filter) return "";
    const input = h("input", { type: "search", id: "explore-filter", value: v.state.filter,
      change: () => set({ filter: input.value }) });
    return h("label", { class: "filter" }, "strategies with ", input);
  }

  function render(): void {
    const v = view(model, state);
    const width = Math.max(280, Math.floor(body.clientWidth || 960));
    const half = width >= 900 ? Math.floor((width - 32) / 2) : width;
    const held = document.activeElement;
    const key = held && body.contains(held) ? keyOf(held) : "";
    const panels = [distribution(v, half), course(v, half)].filter((p) => p.charts.length > 0);
    body.replaceChildren(controls(v, set), chips(v, set), figure(v, width),
      h("div", { class: "panels" }, ...panels.map(panel)), filter(v), table(v, set));
    if (key) body.querySelector<HTMLElement>(key)?.focus({ preventScroll: true });
  }

  root.addEventListener("keydown", (e) => {
    if (e.key === "Escape" && (state.point || state.zoom)) {
      set(state.point ? { point: "" } : { zoom: null });
      say("cleared");
    }
  });
  addEventListener("hashchange", restore);
  let width = 0;
  new ResizeObserver(() => {
    if (body.clientWidth !== width) {
      width = body.clientWidth;
      render();
    }
  }).observe(body);
  render();
  const link = location.hash;
  addEventListener("load", () => requestAnimationFrame(() => {
    if (decode(link, first)) document.getElementById("explore")?.scrollIntoView({ behavior: "instant" });
  }));
}

// keyOf identifies an element, to find it after a redraw.
function keyOf(e: Element): string {
  const q = (name: string): string => {
    const value = e.getAttribute(name);
    return value === null ? "" : `[${name}="${CSS.escape(value)}"]`;
  };
  if (e.id) return "#" + CSS.escape(e.id);
  for (const name of ["data-chip", "data-do", "data-sort"]) if (q(name)) return q(name);
  return e.classList.contains("pb-dot") ? ".pb-dot" + q("data-series") + q("data-x") : "";
}

const root = document.getElementById("explorer");
const text = document.getElementById("data")?.textContent;
if (root && text) start(root, JSON.parse(text) as Data);
