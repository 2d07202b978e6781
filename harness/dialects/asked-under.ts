import type { OperationName } from "../../openapi/operations.ts";
import type { RequirementId } from "../../openapi/requirements.ts";

/** The requirement that a service departs from when an operation has to be called in another way. */
export const askedUnder: { readonly [Name in OperationName]: RequirementId } = {
  run: "RUNA-01",
  runsync: "SYNC-01",
  status: "STAT-01",
  stream: "STRM-01",
  cancel: "CANC-01",
  retry: "RETR-01",
  "purge-queue": "PURG-01",
  health: "HLTH-01",
  openai: "RATE-07",
  requests: "RATE-08",
};
