import type { Exchange } from "../../client/exchange.ts";
import type { JobClient } from "../../client/job-client.ts";
import { isJsonObject, parseJson } from "../../client/parse-json.ts";
import { isSuccess } from "../read.ts";
import { shapeOf, unknownJob, wrongKey } from "./asker.ts";
import type { Ask, Asker } from "./asker.ts";
import { isKeyRefusal } from "./form.ts";
import { isSuccessOf } from "./shown-by.ts";

/**
 * Learns how the target looks at keys: not at all, or at the bare one alone.
 * @param ask asks for what makes no job
 * @param isAdapting whether the dialect leaves open how keys are sent
 * @returns whether a wrong key is refused
 */
export async function findKeys(asker: Asker, ask: Ask, isAdapting: boolean): Promise<boolean> {
  const wrong = await asker.ask(async (client) => ask(client.withMadeUpKey(wrongKey)));
  if (wrong === undefined) return false;
  if (isKeyRefusal(wrong.answer)) {
    await findForbidden(asker, ask, wrong);
    if (isAdapting) await findBearer(asker, ask);
    return true;
  }
  if (isErrorInSuccess(wrong) && (await isOfKey(asker, ask, wrong))) {
    learnErrorsInSuccesses(asker, wrong);
    return true;
  }
  // A bad submission may be refused before its key is looked at.
  if (await refusesKeyOfRead(asker, ask)) return findKeys(asker, askStatus, isAdapting);
  if (!isAdapting || !isKnown(wrong)) return false;
  const none = await asker.ask(async (client) => ask(client.with({ apiKey: undefined })));
  if (none === undefined || !isKnown(none)) return false;
  asker.discovery.learn({
    id: "key-not-asked",
    topic: "key",
    text: "no key is asked for: a request with a wrong key, or with none, is answered as one with the key",
    adapted: "keys are not checked",
    breaks: ["AUTH-01", "AUTH-02"],
    expected: "401",
    deviations: {
      authorization: "none",
      lacksRequirements: {
        "AUTH-01": notAsked,
        "AUTH-02": notAsked,
        "AUTH-05": notAsked,
        "AUTH-06": notAsked,
      },
    },
    dialect: { authorization: "none" },
    seen: [none, wrong],
  });
  return false;
}

/** Whether a read with a wrong key is refused, where that was not what was asked. */
async function refusesKeyOfRead(asker: Asker, asked: Ask): Promise<boolean> {
  if (asked === askStatus) return false;
  const read = await asker.ask(async (client) => askStatus(client.withMadeUpKey(wrongKey)));
  return isKeyRefusal(read?.answer);
}

async function askStatus(client: JobClient): Promise<Exchange> {
  return client.status(unknownJob);
}

/** Learns that a wrong key, or none, is refused by 403. */
async function findForbidden(asker: Asker, ask: Ask, wrong: Exchange): Promise<void> {
  const none = await asker.ask(async (client) => ask(client.with({ apiKey: undefined })));
  if (wrong.answer?.status === 403) learnForbidden(asker, wrong, "a wrong key is");
  else if (none?.answer?.status === 403) learnForbidden(asker, none, "a request without a key is");
}

/** Learns that health is answered whatever the key, where other operations refuse a wrong one. */
export async function findOpenHealth(asker: Asker): Promise<void> {
  const wrong = await asker.ask(async (client) => client.withMadeUpKey(wrongKey).health());
  if (wrong?.answer === undefined || !isSuccess(wrong.answer) || isErrorInSuccess(wrong)) return;
  const isHealth = isSuccessOf("health");
  asker.discovery.learn({
    id: "health-without-key",
    topic: "key",
    text: "health is answered without a valid key, where other operations refuse one",
    expected: "401",
    explains: ({ expected }, evidence) => /\b401\b/.test(expected) && isHealth(evidence),
    seen: [wrong],
  });
}

/** Whether what was answered to a wrong key is not answered to the right one. */
async function isOfKey(asker: Asker, ask: Ask, wrong: Exchange): Promise<boolean> {
  const right = await asker.ask(ask);
  return right !== undefined && shapeOf(right) !== shapeOf(wrong);
}

function learnForbidden({ discovery }: Asker, refused: Exchange, what: string): void {
  discovery.learn({
    id: "key-refusals-403",
    topic: "key",
    text: `${what} answered 403 in place of 401`,
    expected: "401",
    explains: ({ expected }, evidence) =>
      /\b401\b/.test(expected) && evidence?.response?.status === 403,
    undecides: (reason) => reason.includes("had to answer 401: status 403"),
    seen: [refused],
  });
}

/** Whether an error is told in the body of a success. */
function isErrorInSuccess({ answer }: Exchange): boolean {
  return answer !== undefined && isSuccess(answer) && isErrorBody(answer.rawText());
}

function isErrorBody(body: unknown): boolean {
  const value = typeof body === "string" ? parseJson(body) : body;
  return isJsonObject(value) && value["error"] !== undefined && value["id"] === undefined;
}

function learnErrorsInSuccesses({ discovery }: Asker, refused: Exchange): void {
  discovery.learn({
    id: "errors-in-successes",
    topic: "answers",
    text: `errors are answered ${String(refused.answer?.status)}, and told in the body alone`,
    expected: "401",
    explains: (_, evidence) => {
      const { status = 0, body } = evidence?.response ?? {};
      return status >= 200 && status < 300 && isErrorBody(body);
    },
    // Where no refusal is seen as one, what needs one is not shown, and is waited for until the time is over.
    undecides: (reason) =>
      /had to answer 4\d\d: status 2|was answered with an error|was refused|^not reached|^the run was ended/.test(
        reason,
      ),
    seen: [refused],
  });
}

const notAsked = "no key is asked for";

/** Whether it was answered as if the key were right: a success, or the refusal of what was sent. */
function isKnown({ answer }: Exchange): boolean {
  return answer !== undefined && !isKeyRefusal(answer) && answer.status !== 404;
}

async function findBearer(asker: Asker, ask: Ask): Promise<void> {
  const isBearerOnly = asker.discovery.knows("key-bearer-only");
  if (isBearerOnly || asker.client.options.scheme === "bearer") return;
  const bearer = await asker.ask(async (client) => ask(client.with({ scheme: "bearer" })));
  if (bearer === undefined || !isKeyRefusal(bearer.answer)) return;
  asker.discovery.learn({
    id: "key-bare-only",
    topic: "key",
    text: "a key is taken bare alone: `Bearer KEY` is refused",
    adapted: "went on with it",
    breaks: ["AUTH-04"],
    expected: "`Bearer KEY` to be accepted",
    deviations: { authorization: "raw" },
    seen: [bearer],
  });
}
