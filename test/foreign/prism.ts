import { fileURLToPath } from "node:url";

import type { RunningServer } from "../running-server.ts";
import { toolNamed } from "../tools.ts";
import { freePort } from "../../load/free-port.ts";
import { startProgram } from "./program.ts";

/** Prism, which makes a mock server of an OpenAPI document, or why it is not there. */
export const prism = toolNamed(
  "prism",
  "`npm install @stoplight/prism-cli@5.14.2` brings it, on PATH or in .cache/queueproof/bin.",
);

const document = fileURLToPath(new URL("../../openapi/job-api.yaml", import.meta.url));

/** The dialect file by which the suite finds its way at the mock. */
export const prismDialect = fileURLToPath(new URL("prism-dialect.json", import.meta.url));

/** Any values will do, since a mock knows neither endpoints nor keys. */
export const prismTarget = { endpointId: "one", apiKey: "key" } as const;

/**
 * Starts the mock server of openapi/job-api.yaml on a free port.
 * @throws Error with what Prism wrote, where it does not take the document.
 */
export async function startPrism(): Promise<RunningServer> {
  const port = String(await freePort());
  const words = ["mock", document, "--host", "127.0.0.1", "--port", port];
  return startProgram(prism.path, words, `http://127.0.0.1:${port}`);
}
