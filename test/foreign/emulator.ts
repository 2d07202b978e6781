import { onTestFinished } from "vitest";

import { inDialect } from "../../reference/dialects.ts";
import { specified } from "../../reference/behaviour.ts";
import { startReference } from "../../reference/start-reference.ts";
import type { Reference } from "../../reference/start-reference.ts";
import { callJson, type JsonAnswer } from "../rig.ts";

export interface Emulator {
  readonly reference: Reference;
  /** The URL of the endpoint, in the form in which clients take it. */
  readonly url: string;
  /** The same URL without the endpoint, as the clients' settings take it. */
  readonly baseUrl: string;
  readonly call: (method: string, path: string, body?: unknown) => Promise<JsonAnswer>;
  readonly submit: (input: unknown) => Promise<string>;
  readonly status: (jobId: string) => Promise<JsonAnswer["body"]>;
  /** The record once the job has ended. */
  readonly ended: (jobId: string) => Promise<JsonAnswer["body"]>;
}

/** Far above a ping's interval, which is whole seconds; short enough to wait for in a test. */
const SILENCE_MS = 4_000;
const API_KEY = "qp_interop";

/** A second endpoint, on whose clock a minute passes in a second. */
export const FAST_ENDPOINT = "fast";

/** Starts a reference that speaks as the live service does, on a real clock; it stops with the test. */
export async function startEmulator(
  workers: "built-in" | "external" = "external",
): Promise<Emulator> {
  const reference = await startReference({
    behaviour: inDialect("runpod", specified) ?? specified,
    endpoints: [
      { clock: "real", apiKey: API_KEY },
      { clock: "real", apiKey: API_KEY, id: FAST_ENDPOINT, speed: 60 },
    ],
    ...(workers === "external" && { externalWorkers: { silenceMs: SILENCE_MS } }),
  });
  onTestFinished(() => reference.stop());
  const baseUrl = `${reference.baseUrl}/v2`;
  const url = `${baseUrl}/${reference.endpointId}`;
  const headers = { authorization: reference.apiKey };
  const call: Emulator["call"] = (method, path, body) =>
    callJson(method, `${url}${path}`, body, { headers });
  const status: Emulator["status"] = async (id) => (await call("GET", `/status/${id}`)).body;
  return {
    reference,
    url,
    baseUrl,
    call,
    submit: async (input) => String((await call("POST", "/run", { input })).body["id"]),
    status,
    ended: async (id) => (await call("GET", `/status-sync/${id}?wait=60000`)).body,
  };
}
