import type { Exchange } from "../../client/exchange.ts";
import type { JobClient } from "../../client/job-client.ts";
import { wrongKey } from "./asker.ts";
import type { Asker } from "./asker.ts";
import { isKeyRefusal } from "./form.ts";

/**
 * Learns how the target looks at keys: not at all, or at the bare one alone.
 * @param ask asks for what makes no job
 * @param isAdapting whether the dialect leaves open how keys are sent
 * @returns whether a wrong key is refused
 */
export async function findKeys(
  asker: Asker,
  ask: (client: JobClient) => Promise<Exchange>,
  isAdapting: boolean,
): Promise<boolean> {
  const wrong = await asker.ask(async (client) => ask(client.withMadeUpKey(wrongKey)));
  if (wrong === undefined) return false;
  if (isKeyRefusal(wrong.answer)) {
    if (isAdapting) await findBearer(asker, ask);
    return true;
  }
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

const notAsked = "no key is asked for";

/** Whether it was answered as if the key were right: a success, or the refusal of what was sent. */
function isKnown({ answer }: Exchange): boolean {
  return answer !== undefined && !isKeyRefusal(answer) && answer.status !== 404;
}

async function findBearer(
  asker: Asker,
  ask: (client: JobClient) => Promise<Exchange>,
): Promise<void> {
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
