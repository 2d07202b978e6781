import type { Answer, Exchange } from "../../client/exchange.ts";
import type { AuthorizationScheme, JobClient } from "../../client/job-client.ts";
import type { Deviations } from "../dialects/schema.ts";
import type { Learning } from "./discovery.ts";
import { HarnessError } from "../outcome.ts";
import { describeAnswer } from "../read.ts";
import { show } from "../show.ts";

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

/** What departs in the form in which a target answers. */
export function learnedOfAccess(
  { form, first }: Access,
  tried: readonly TriedPath[],
  { authorization }: Deviations,
): readonly Learning[] {
  const { basePath, scheme, trailingSlash = false } = form;
  const asked = tried.flatMap(({ exchanges }) => exchanges);
  const found: Learning[] = [];
  if (basePath !== undefined) found.push(learnedPath(basePath, [...asked.slice(0, 1), first]));
  if (trailingSlash) found.push(learnedSlash(asked));
  if (scheme === "bearer" && authorization === undefined) found.push(learnedBearer(asked, first));
  return found;
}

function learnedPath(basePath: string, seen: readonly Exchange[]): Learning {
  const shown = `${basePath}/run`.replace("{endpointId}", "<endpoint>");
  return {
    id: idOfPath(basePath),
    topic: "path",
    text: `${missingIn(basePath)}: ${shown} answers, /v2/<endpoint>/run does not`,
    adapted: "went on with it",
    breaks: ["ENDP-01"],
    expected: "an answer at /v2/<endpoint>/…",
    deviations: { basePath },
    seen,
  };
}

function idOfPath(basePath: string): string {
  if (basePath.startsWith("/v1")) return "path-v1";
  return basePath === "/v2" ? "path-without-endpoint" : "path-without-v2";
}

function missingIn(basePath: string): string {
  if (basePath === "") return "neither /v2 nor the endpoint is in the path";
  if (basePath === "/v2") return "the endpoint is not in the path";
  return basePath.startsWith("/v1") ? "/v1 stands for /v2 in the path" : "/v2 is not in the path";
}

function learnedSlash(asked: readonly Exchange[]): Learning {
  const seen = asked.filter(({ answer }) => answer?.headers["location"] !== undefined);
  return {
    id: "redirects-to-slash",
    topic: "front",
    text: "a path without a slash at its end is redirected to the one with it",
    adapted: "asked with the slash",
    deviations: pathDeviations({ trailingSlash: true }),
    seen: seen.slice(0, 1),
  };
}

function learnedBearer(asked: readonly Exchange[], first: Exchange): Learning {
  const refused = asked.findLast(
    ({ answer, operation }) => answer?.status === 401 && operation === first.operation,
  );
  return {
    id: "key-bearer-only",
    topic: "key",
    text: "a key is taken as `Bearer KEY` alone: the bare key is refused",
    adapted: "went on with it",
    breaks: ["AUTH-03"],
    expected: "the bare key to be accepted",
    deviations: { authorization: "bearer" },
    seen: [...(refused === undefined ? [] : [refused]), first],
  };
}

/** The error where the key was refused, whatever was asked for. */
export function refusedError(exchanges: readonly Exchange[], client: JobClient): HarnessError {
  const { endpointId, baseUrl, redactor } = client.options;
  const status = String(exchanges[0]?.answer?.status);
  const said = redactor.redact(saidBy(exchanges[0]?.answer));
  const asked = [...new Set(exchanges.map(({ operation }) => operation))].join(" and ");
  return new HarnessError(
    "KEY_REFUSED",
    `every request with this key was answered ${status} (${asked} of endpoint ${endpointId} at ${baseUrl}), bare and as Bearer: the key is probably wrong; the first answer was ${said}`,
    "Check --api-key and --endpoint; the key has to be valid for that endpoint. Where the server wants it in another header, add --header 'NAME: KEY'.",
  );
}

/**
 * The error where everything is answered 404: the endpoint is unknown where the server knows the path, which shows in
 * that it answers otherwise there than elsewhere; else the API is not there.
 */
export function unknownError(tried: readonly TriedPath[], client: JobClient): HarnessError {
  const { endpointId, baseUrl, redactor } = client.options;
  const [usual, other] = tried.map(({ exchanges }) => exchanges[0]);
  const asked = "health and run";
  if (other !== undefined && knowsPath(usual, other)) {
    return new HarnessError(
      "ENDPOINT_UNKNOWN",
      `every request to endpoint ${endpointId} at ${baseUrl} was answered 404 (${asked}): the endpoint id is probably wrong`,
      "Correct --endpoint, the part behind /v2/ in the endpoint's URL, or --base-url.",
    );
  }
  const paths = tried.map(({ exchanges }) => pathOf(exchanges[0]));
  return new HarnessError(
    "ENDPOINT_UNKNOWN",
    `no job API was found at ${baseUrl}: ${paths.join(", ")} answered nothing of it, the first one ${redactor.redact(saidBy(usual?.answer))}`,
    "Correct --base-url and --endpoint: operations are asked for at {base-url}/v2/{endpoint}/health, /run and so on; a dialect's basePath names another place.",
  );
}

function knowsPath(usual: Exchange | undefined, other: Exchange): boolean {
  const [one, another] = [usual, other].map((each) => bodyShapeOf(each));
  return usual?.answer?.status !== 404 || one !== another;
}

/** The body without the path that it may repeat. */
function bodyShapeOf(exchange: Exchange | undefined): string {
  const text = exchange?.answer?.rawText() ?? "";
  const path = pathOf(exchange);
  return text.replaceAll(path, "").replaceAll(/[\d-]{6,}/g, "");
}

function pathOf(exchange: Exchange | undefined): string {
  return exchange === undefined ? "" : new URL(exchange.request.url).pathname;
}

/** The error where the target sends its clients to another address. */
export function movedError(baseUrl: string, { answer }: Exchange): HarnessError {
  const location = new URL(answer?.headers["location"] ?? "", baseUrl);
  return new HarnessError(
    "TARGET_UNREACHABLE",
    `the target at ${baseUrl} redirects to ${location.origin} (${String(answer?.status)}), where no key is sent without being told`,
    `Give --base-url ${location.origin} if that is the target.`,
  );
}

/** What an answer says: the title of a page, or status and body. */
function saidBy(answer: Answer | undefined): string {
  if (answer === undefined) return "nothing";
  const title = /<title>([^<]+)<\/title>/i.exec(answer.rawText())?.[1];
  return title === undefined
    ? describeAnswer(answer)
    : `status ${answer.status}, a page with the title ${show(title.trim())}`;
}
