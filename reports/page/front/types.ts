// The data of the page. data.go declares the same type and documents the fields.

export interface Data {
  schema: number;
  title: string;
  command: string;
  about: [string, string][];
  enough: number;
  ranks: [number, number][];
  sources?: string[];
  strategies: string[];
  metrics: Metric[];
  shapes: number[][];
  runs: number[][];
  reasons: string[];
  curves: Curve[];
  courses: TimeSeries[];
  scenarios: Scenario[];
}

export interface Metric {
  id: string;
  unit: string;
  label: string;
  hint: string;
  better: string;
  kind: string;
  behaviour: boolean;
  grows: boolean;
  theory: number;
  bounds?: number[];
}

export interface Scenario {
  id: string;
  title: string;
  facts: string[];
  study: string;
  series: Series[];
  axes: Axis[];
  cells: Cell[];
  paired: boolean;
  deadline: number;
}

export interface Series {
  strategy: number;
  style: number;
  source?: number;
}

export interface Axis {
  key: string;
  label: string;
  unit: string;
  log: boolean;
  at: number[];
}

export interface Cell {
  series: number;
  at: number[];
  runs: number[];
  growing?: boolean;
  verdict?: number;
  reasons?: number[];
  uncertain?: [number, number][];
  curve: number;
  course: number;
}

export interface Curve {
  nines: number;
  sec: number[];
}

export interface TimeSeries {
  start: number;
  step: number;
  flight: number[];
  queued: number[];
  done: number[];
  lost: number[];
  missing?: number[];
}
