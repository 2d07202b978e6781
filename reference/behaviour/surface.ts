import type { OperationName } from "../../openapi/operations.ts";
import type { ClockMode } from "../clock.ts";

/** One way to ask for an operation. */
export interface Route {
  readonly operation: OperationName;
  readonly method: "GET" | "POST";
  /** Below `/v2/:endpointId`; `:jobId` stands for a job. */
  readonly path: string;
  /**
   * How long an answer is held back, at most, until there is something to tell, where the request
   * does not say it by `wait`. Absent: it is never held back and `wait` means nothing.
   */
  readonly holdsForMs?: (mode: ClockMode) => number;
}

/** By which paths and methods the operations are asked for, and who answers `openai`. */
export interface SurfaceBehaviour {
  readonly routes: readonly Route[];
  /** `fixed`: the same object to everybody; `chat`: as an OpenAI-compatible worker does. */
  readonly openAi: "fixed" | "chat";
}

export const surface: SurfaceBehaviour = {
  routes: [
    { operation: "run", method: "POST", path: "/run" },
    { operation: "runsync", method: "POST", path: "/runsync" },
    { operation: "status", method: "GET", path: "/status/:jobId" },
    { operation: "stream", method: "GET", path: "/stream/:jobId" },
    { operation: "cancel", method: "POST", path: "/cancel/:jobId" },
    { operation: "retry", method: "POST", path: "/retry/:jobId" },
    { operation: "purge-queue", method: "POST", path: "/purge-queue" },
    { operation: "health", method: "GET", path: "/health" },
    { operation: "openai", method: "POST", path: "/openai/*" },
    { operation: "requests", method: "GET", path: "/requests" },
  ],
  openAi: "fixed",
};
