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

/** Young-generation heap limit: what a request allocates is short-lived, and Node's default costs a run 40 MB more. */
const maxYoungGenerationSizeMb = 16;

/**
 * Starts the embedded reference in its own thread, so that it answers on one core while the checks run on another.
 * Uncompiled sources share this thread, because Node loads no TypeScript in a worker.
 */
export async function startEmbeddedReference(): Promise<EmbeddedReference> {
  if (import.meta.url.endsWith(".ts")) return startInThisThread();
  const worker = new Worker(new URL("embedded-reference-thread.js", import.meta.url), {
    resourceLimits: { maxYoungGenerationSizeMb },
  });
  const told: readonly unknown[] = await once(worker, "message");
  const [message] = told;
  if (!isAddress(message)) throw new Error("the embedded reference told no address");
  return {
    ...message,
    stop: async () => {
      await worker.terminate();
    },
  };
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
