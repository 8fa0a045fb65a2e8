// The worker of a side starts the program, then runs requests one by one.

import { Request } from "./settings";

export interface Answer {
  metrics: Record<string, number>;
  rate: number;
  mean: number;
  verdict: string;
  reasons: string[];
  curve: number[]; // alternating x and y
  inFlight: number[];
  queued: number[];
  error?: string;
}

export interface Choice {
  name: string;
  summary: string;
  useIf: string;
  queue: boolean;
  sheds: boolean;
}

interface Program {
  run(of: Request, done: (a: Answer) => void): void;
  choices(): Choice[];
}

interface Scope {
  importScripts(path: string): void;
  postMessage(message: unknown): void;
  onmessage: ((e: MessageEvent) => void) | null;
  poolbench: Program;
  Go: new () => { importObject: WebAssembly.Imports; run(of: WebAssembly.Instance): Promise<void> };
}

const scope = globalThis as unknown as Scope;

// the first message is the compiled program, all others are requests
scope.onmessage = (e) => {
  scope.importScripts("wasm_exec.js");
  const go = new scope.Go();
  void WebAssembly.instantiate(e.data as WebAssembly.Module, go.importObject).then((instance) => {
    void go.run(instance);
    scope.onmessage = (next: MessageEvent<Request>) =>
      scope.poolbench.run(next.data, (a) => scope.postMessage(a));
    scope.postMessage(scope.poolbench.choices());
  });
};
