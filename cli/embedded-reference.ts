import { once } from "node:events";
import { Worker } from "node:worker_threads";

/** The running embedded reference. */
export interface EmbeddedReference {
  readonly baseUrl: string;
  readonly controlUrl: string;
  readonly stop: () => Promise<void>;
}

/** The message of the thread when the reference accepts requests. */
export type ReferenceAddress = Pick<EmbeddedReference, "baseUrl" | "controlUrl">;

/**
 * Limits of the thread's heap, in megabytes: what a request allocates is short-lived, and the lower the limits are, the
 * sooner it is collected. Node's own defaults cost a run some 80 MB more; no run comes near the limit of the old
 * generation.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 512 };

/** Node loads no TypeScript in a worker. */
const isUncompiled = import.meta.url.endsWith(".ts");

interface Thread {
  readonly worker: Worker;
  readonly address: Promise<ReferenceAddress>;
}

/** A thread in which the reference loads although nothing has asked for it yet. */
let loadingAhead: Thread | undefined;

/**
 * Lets the embedded reference load in its thread while this one loads what comes before `startEmbeddedReference`. It
 * ends with the process where nothing asks for it.
 */
export function loadReferenceAhead(): void {
  if (isUncompiled) return;
  loadingAhead ??= createThread();
  loadingAhead.worker.unref();
}

/**
 * Starts the embedded reference in its own thread, so that it answers on one core while the checks run on another.
 * Uncompiled sources share this thread.
 */
export async function startEmbeddedReference(): Promise<EmbeddedReference> {
  if (isUncompiled) return startInThisThread();
  const { worker, address } = loadingAhead ?? createThread();
  loadingAhead = undefined;
  worker.ref();
  return {
    ...(await address),
    stop: async () => {
      await worker.terminate();
    },
  };
}

function createThread(): Thread {
  const worker = new Worker(new URL("../cli/embedded-reference-thread.js", import.meta.url), {
    resourceLimits,
  });
  const address = addressFrom(worker);
  // Whoever awaits it is told; a thread that nobody asks for may fail.
  address.catch(() => undefined);
  return { worker, address };
}

async function addressFrom(worker: Worker): Promise<ReferenceAddress> {
  const told: readonly unknown[] = await once(worker, "message");
  const [message] = told;
  if (!isAddress(message)) throw new Error("the embedded reference told no address");
  return message;
}

async function startInThisThread(): Promise<EmbeddedReference> {
  const { startReference } = await import("../reference/start-reference.ts");
  const reference = await startReference();
  const { baseUrl, controlUrl = "" } = reference;
  return { baseUrl, controlUrl, stop: async () => reference.stop() };
}

function isAddress(message: unknown): message is ReferenceAddress {
  return typeof message === "object" && message !== null && "controlUrl" in message;
}
