import type { Answer, Exchange } from "../../client/exchange.ts";
import type { AuthorizationScheme } from "../../client/job-client.ts";
import type { Deviations } from "../dialects/schema.ts";

/** One way to ask for an operation: the path before it, and how the key is written. */
export interface Form {
  /** Absent: as the dialect has it. */
  readonly basePath?: string;
  readonly scheme: AuthorizationScheme;
  readonly trailingSlash?: boolean;
}

/** What was asked at one path, in that order. */
export interface TriedPath {
  readonly basePath: string | undefined;
  readonly exchanges: readonly Exchange[];
}

/** How a target is asked, and what it answered to the first question in that form. */
export interface Access {
  readonly form: Form;
  /** Health, or the status of an unknown job where the dialect has no health. */
  readonly first: Exchange;
}

/** What a dialect says of the path of a form. */
export function pathDeviations({
  basePath,
  trailingSlash,
}: Pick<Form, "basePath" | "trailingSlash">): Deviations {
  return {
    ...(basePath !== undefined && { basePath }),
    ...(trailingSlash === true && { trailingSlash }),
  };
}

/** Whether an answer refuses the key. */
export function isKeyRefusal(answer: Answer | undefined): boolean {
  return answer?.status === 401 || answer?.status === 403;
}

/** Whether an answer, or none, says nothing of how the target is: it is asked too often, or not at its best. */
export function showsNothing(answer: Answer | undefined): boolean {
  return answer === undefined || answer.status === 429 || answer.status >= 500;
}
