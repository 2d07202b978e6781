import { parentPort } from "node:worker_threads";

import { startReference } from "../reference/start-reference.ts";
import type { ReferenceAddress } from "./embedded-reference.ts";

// Runs the embedded reference for `startEmbeddedReference` until the thread is terminated.
const { baseUrl, controlUrl = "" } = await startReference();
const address: ReferenceAddress = { baseUrl, controlUrl };
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(address);
