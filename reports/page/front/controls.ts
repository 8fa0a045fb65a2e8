// The controls above the chart. Each only changes the state.

import { h } from "./dom";
import { axisText } from "./format";
import { swatch } from "./marks";
import { State } from "./state";
import { Scenario } from "./types";
import { mostShown, place, style, View } from "./view";

export type Set = (change: Partial<State>) => void;

type Option = [value: string, text: string];

function choice(label: string, id: string, now: string, options: Option[], pick: (value: string) => void): HTMLElement {
  const select = h("select", { id: "explore-" + id, change: () => pick(select.value) },
    ...options.map(([value, text]) => h("option", { value, selected: value === now }, text)));
  return h("label", {}, label + " ", select);
}

function scenarioName(s: Scenario): string {
  return [s.study && s.study + ":", s.title, ...s.facts.map((f) => "· " + f)].filter((t) => t).join(" ").slice(0, 160);
}

export function controls(v: View, set: Set): HTMLElement {
  const { model, scenario } = v;
  const out = h("div", { class: "controls" });
  if (model.data.scenarios.length > 1) {
    out.append(choice("scenario", "scenario", scenario.id, model.data.scenarios.map((s) => [s.id, scenarioName(s)]),
      (id) => set({ scenario: id, axis: "", at: {}, x: null, point: "", zoom: null, shown: null, base: "" })));
  }
  const metrics = model.data.metrics.filter((m, i) => i === v.metricAt ||
    (!m.unit.startsWith("theory-") && model.varies(scenario, i)));
  out.append(choice("metric", "metric", v.metric.id, metrics.map((m) => [m.id, m.label]),
    (metric) => set({ metric, zoom: null, linear: null })));
  const varying = scenario.axes.filter((a) => a.at.length > 1);
  if (varying.length > 1) {
    out.append(choice("over", "axis", v.axis.key, varying.map((a) => [a.key, a.key]),
      (axis) => set({ axis, x: null, zoom: null })));
  }
  for (const r of v.rest) {
    out.append(choice(r.axis.key, "at-" + r.axis.key, String(r.axis.at[r.at]),
      r.axis.at.map((a) => [String(a), axisText("")(a) + r.axis.unit]),
      (value) => set({ at: { ...v.state.at, [r.axis.key]: Number(value) }, zoom: null })));
  }
  out.append(choice("scale", "scale", v.log ? "log" : "linear", [["log", "log"], ["linear", "linear"]],
    (value) => set({ linear: value === "linear", zoom: null })));
  if (v.axis.at.length > 1) {
    out.append(choice("table at", "x", String(v.axis.at[v.x]), v.axis.at.map((a, i) => [String(a), place(v, i)]),
      (value) => set({ x: Number(value) })));
  }
  if (v.classes.length > 1 || model.data.sources) out.append(choice("baseline", "base", v.base?.name ?? "",
    [["", model.data.sources ? `each in ${model.data.sources[0]}` : "none"], ...v.classes.map((c): Option => [c.name, c.label])], (base) => set({ base })));
  if (v.state.zoom) {
    out.append(h("button", { type: "button", "data-do": "reset", click: () => set({ zoom: null }) }, "reset zoom"));
  }
  return out;
}

// chips returns a button for each class. A button of several strategies opens to list them.
export function chips(v: View, set: Set): HTMLElement {
  const out = h("div", { class: "chips", role: "group", "aria-label": "Strategies" });
  if (v.classes.length === 1 && v.shown.length === 1 && v.classes[0]!.series.length === 1) return out;
  const names = v.shown.map((c) => c.name);
  for (const c of v.classes) {
    const on = names.includes(c.name);
    const button = h("button", { type: "button", "aria-pressed": on ? "true" : "false", "data-chip": c.name,
      click: () => set({ shown: on ? names.filter((n) => n !== c.name) : [...names, c.name], zoom: null }) },
      swatch(style(v, c)), h("span", {}, c.label));
    const only = h("button", { type: "button", class: "only", "aria-label": `only ${c.label}`,
      click: () => set({ shown: [c.name], zoom: null }) }, "only");
    const chip = h("div", { class: "chip" }, button, only);
    if (c.series.length > 1) {
      chip.append(h("details", {}, h("summary", { "aria-label": `strategies: ${c.label}` }, "…"),
        h("ul", {}, ...c.series.map((s) => h("li", {}, v.model.name(v.scenario, s))))));
    }
    out.append(chip);
  }
  const whole = v.shown.length === v.classes.length;
  if (!whole || v.classes.length > mostShown) {
    out.append(h("button", { type: "button", "data-do": "chips",
      click: () => set({ shown: whole ? null : v.classes.map((c) => c.name), zoom: null }) },
      whole ? `the first ${mostShown}` : `show ${v.classes.length}`));
  }
  return out;
}
