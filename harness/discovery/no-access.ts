import type { Answer, Exchange } from "../../client/exchange.ts";
import type { JobClient } from "../../client/job-client.ts";
import { HarnessError } from "../outcome.ts";
import { describeAnswer } from "../read.ts";
import { show } from "../show.ts";
import type { TriedPath } from "./form.ts";

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
  const [one, another] = [usual, other].map((each) => shapeOf(each));
  return usual?.answer?.status !== 404 || one !== another;
}

/** The body without the path that it may repeat. */
function shapeOf(exchange: Exchange | undefined): string {
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
