import type { OperationName } from "../../openapi/operations.ts";
import type { RequirementId } from "../../openapi/requirements.ts";

/** The status and the JSON body of a success, on their way into the specification's terms. */
export interface Content {
  readonly operation: OperationName;
  /** The id of the job that the request names. */
  readonly jobId?: string | undefined;
  readonly status: number;
  readonly body: unknown;
}

/** What the service does that made a change necessary, and the requirement it departs from. */
export interface NormalisedChange {
  readonly requirement: RequirementId;
  readonly what: string;
}

/** A content in the specification's terms, and every change that this took. */
export interface Normalised {
  readonly content: Content;
  readonly changes: readonly NormalisedChange[];
}

/** What an answer says in the specification's terms; without a content it stays as it is. */
export type AnswerRead = Pick<Normalised, "changes"> & Partial<Normalised>;
