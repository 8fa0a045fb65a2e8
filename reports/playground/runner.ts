// A runner runs requests of one side in a worker. A run cannot be interrupted. For new requests
// during a run, the runner ends the worker and starts another one.

import { Request } from "./settings";
import { Answer, Choice } from "./worker";

export interface Job {
  request: Request;
  then: (a: Answer) => void;
}

export class Runner {
  private worker: Worker | null = null;
  private ready = false;
  private running = false;
  private jobs: Job[] = [];
  onIdle: () => void = () => {};
  onChoices: (all: Choice[]) => void = () => {};

  constructor(private module: WebAssembly.Module, private failed: (text: string) => void) {
    this.start();
  }

  private start(): void {
    const worker = new Worker("worker.js");
    this.worker = worker;
    this.ready = this.running = false;
    worker.onerror = (e) => this.failed(e.message);
    worker.onmessage = (e: MessageEvent<Choice[]>) => {
      this.ready = true;
      this.onChoices(e.data);
      this.next();
    };
    worker.postMessage(this.module);
  }

  // run replaces the requests without a result.
  run(jobs: Job[]): void {
    this.jobs = jobs;
    if (this.running) {
      this.worker?.terminate();
      this.start();
    } else if (this.ready) this.next();
  }

  private next(): void {
    const job = this.jobs.shift();
    if (!job || !this.worker) {
      this.onIdle();
      return;
    }
    this.running = true;
    this.worker.onmessage = (e: MessageEvent<Answer>) => {
      this.running = false;
      job.then(e.data);
      if (!this.running) this.next();
    };
    this.worker.postMessage(job.request);
  }
}
