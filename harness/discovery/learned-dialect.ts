import { ConfiguredDialect } from "../dialects/configured-dialect.ts";
import type { Deviations, Lackable } from "../dialects/schema.ts";
import { spec } from "../dialects/spec.ts";
import type { Exchange } from "../../client/exchange.ts";
import {
  learnBare,
  learnByteOrderMark,
  learnLargeIntegers,
  learnRecordStatus,
  learnStatusRedirect,
} from "./answers.ts";
import type { Discovery } from "./discovery.ts";
import { learnFailing, learnTooLarge } from "./failing.ts";
import { learnOneShot } from "./one-shot-results.ts";
import { learnRecords } from "./records.ts";
import { learnStream } from "./streams.ts";
import { learnWebhookMember } from "./webhook-member.ts";
import { Unsupported } from "../outcome.ts";
import type { Target } from "../target.ts";

/** The dialect of a target as the user gave it, with what was and will be learned. */
export function dialectOf({
  dialect = spec,
  discovery,
  discovers = true,
  capabilities = [],
}: Pick<Target, "dialect" | "discovery" | "discovers"> &
  Partial<Pick<Target, "capabilities">>): ConfiguredDialect {
  const learns = discovers ? discovery : undefined;
  const given = dialect.deviations;
  const fromExchange = (exchange: Exchange): void => {
    if (learns === undefined) return;
    learnLargeIntegers(learns, exchange);
    learnFailing(learns, exchange);
    learnTooLarge(learns, exchange);
    if (!capabilities.includes("clock")) configured.keepResults(learnOneShot(learns, exchange));
    learnForms(learns, exchange, given);
  };
  const fromWebhook = (body: unknown): void => {
    if (learns !== undefined) learnWebhookMember(learns, body, given);
  };
  const configured = new ConfiguredDialect(dialect, { fromExchange, fromWebhook });
  discovery?.onLearned((learned) => configured.learn(learned));
  return configured;
}

/** The dialect of a server of which only the traffic of others is seen: the forms of its answers are learned from that. */
export function dialectOfTraffic(discovery: Discovery): ConfiguredDialect {
  const configured = new ConfiguredDialect(spec, {
    fromExchange: (exchange) => learnForms(discovery, exchange),
  });
  discovery.onLearned((learned) => configured.learn(learned));
  return configured;
}

/** Learns from an answer in which other forms the server answers. */
function learnForms(discovery: Discovery, exchange: Exchange, given?: Deviations): void {
  learnByteOrderMark(discovery, exchange);
  learnBare(discovery, exchange);
  learnRecordStatus(discovery, exchange, given);
  learnStatusRedirect(discovery, exchange);
  learnRecords(discovery, exchange, given);
  learnStream(discovery, exchange, given);
}

/** Ends the check that calls an operation, or awaits a webhook, which the target lacks: what it would conclude without it is a guess. */
export function endCheck(dialect: ConfiguredDialect): (what: Lackable, obstacle: string) => never {
  return (what, obstacle) => {
    throw new Unsupported(obstacle, dialect.causeOfMissing(what));
  };
}
