import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { setPriority } from "node:os";
import { fileURLToPath } from "node:url";

import { identify } from "../../load/limiters/identify.ts";
import type { Identification } from "../../load/limiters/identify.ts";
import type { Declared } from "../../load/limiters/kind.ts";
import type { TracedRequest } from "../../load/limiters/trace.ts";

interface IdentifyRequest {
  readonly requests: readonly TracedRequest[];
  readonly declared: Declared;
  readonly clockGrainMs: number;
}

const path = fileURLToPath(import.meta.url);

/** Identifies limiters in a process of its own, so that nothing that is being recorded has to wait for it. */
export class Identifier {
  readonly #child: ChildProcess = fork(path, [], { serialization: "advanced" });
  readonly #waiting: ((identification: Identification) => void)[] = [];

  constructor() {
    // The child answers requests in their order.
    this.#child.on("message", (answer: Identification) => this.#waiting.shift()?.(answer));
  }

  identify(request: IdentifyRequest): Promise<Identification> {
    this.#child.send(request);
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  close(): void {
    this.#child.disconnect();
  }
}

const behindOthers = 5;

if (process.argv[1] === path && process.send !== undefined) {
  setPriority(behindOthers);
  process.on("message", ({ requests, declared, clockGrainMs }: IdentifyRequest) => {
    process.send?.(identify(requests, declared, clockGrainMs));
  });
}
