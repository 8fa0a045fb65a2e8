// The page of a run that goes on. A frame a second comes from /events; see Frame in course.go.
import { draw, Frame } from "./course";
import { numbers, time } from "./words";

const most = 900; // frames that are shown

function put(id: string, text: string): void {
  const e = document.getElementById(id);
  if (e && e.textContent !== text) e.textContent = text;
}

function show(frames: Frame[]): void {
  const now = frames[frames.length - 1];
  if (!now) return;
  put("run", now.run === "" ? "between two runs, or in other processes" : now.run);
  const of = now.planned > 0 ? ` of ${now.planned}` : "";
  const left = now.left === null ? "" : `, about ${time(now.left)} left`;
  put("plan", `${now.done}${of} runs done${left}`);
  const list = document.getElementById("now");
  list?.replaceChildren(...numbers(now).map(([name, value]) => {
    const group = document.createElement("div");
    const dt = document.createElement("dt");
    const dd = document.createElement("dd");
    dt.textContent = name;
    dd.textContent = value;
    group.append(dt, dd);
    return group;
  }));
  const charts = document.getElementById("charts");
  if (charts) draw(charts, frames);
}

function listen(): void {
  const frames: Frame[] = [];
  const events = new EventSource("/events");
  let ended = false;
  events.onopen = () => put("state", "live");
  events.onmessage = (e: MessageEvent<string>) => {
    const frame = JSON.parse(e.data) as Frame;
    const last = frames[frames.length - 1];
    if (last && frame.at <= last.at) return;
    frames.push(frame);
    if (frames.length > most) frames.shift();
    show(frames);
  };
  events.addEventListener("end", (e: MessageEvent<string>) => {
    ended = true;
    events.close();
    put("state", "ended");
    if (e.data === "true") location.replace("/report");
  });
  events.onerror = () => {
    if (!ended) put("state", "not connected: the command has ended, or is out of reach");
  };
}

listen();
