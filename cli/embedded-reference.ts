import { once } from "node:events";
import { Worker } from "node:worker_threads";

/** The embedded reference while it runs. */
export interface EmbeddedReference {
  readonly baseUrl: string;
  readonly controlUrl: string;
  readonly stop: () => Promise<void>;
}

/** What the thread tells when the reference accepts requests. */
export type ReferenceAddress = Pick<EmbeddedReference, "baseUrl" | "controlUrl">;

/** What a request leaves behind is soon collected; with Node's own room for it a run takes 40 MB more. */
const maxYoungGenerationSizeMb = 16;

/**
 * Starts the embedded reference in a thread of its own: it answers on one core while the checks ask on another. Where
 * the sources run uncompiled, Node loads no TypeScript in a thread, so that it shares this one.
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
