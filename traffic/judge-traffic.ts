import { Redactor } from "../client/redactor.ts";
import { askedFor } from "./recording/recorded-exchange.ts";
import type { OperationRoute } from "./recording/recorded-exchange.ts";
import { requirements } from "../openapi/requirements.ts";
import type { RequirementId } from "../openapi/requirements.ts";
import type { Learning } from "../harness/discovery/discovery.ts";
import { resultsOf } from "../harness/discovery/results.ts";
import type { CheckResult, Evidence, Fact } from "../reports/model.ts";
import { redactedWords } from "./decision.ts";
import type { BreachWords } from "./decision.ts";
import { ClientJudge } from "./clients/judge-traffic-of-clients.ts";
import { trafficRules } from "./clients/results-of-run.ts";
import { evidenceOfRecorded } from "./recording/evidence-of-recorded.ts";
import type { RecordedExchange } from "./recording/recorded-exchange.ts";
import type { JudgedByTraffic } from "./judged-by-traffic.ts";
import { ServerJudge } from "./servers/judge-server.ts";
import type { ServerTraffic } from "./servers/judge-server.ts";
import { shownByTraffic } from "./servers/shown-by-traffic.ts";
import type { LiveFinding } from "./recording/live-page.ts";
import type { SeenRequirement, SeenRequirements, TrafficBreach } from "./servers/seen.ts";

export interface TrafficJudgement {
  readonly judged: readonly JudgedByTraffic[];
  readonly routes: readonly OperationRoute[];
  readonly only: ReadonlySet<RequirementId>;
  readonly isSoleClient: boolean;
  readonly allowance: number | undefined;
  /** Is called with the first breach of each selected requirement, when it is found. */
  readonly onFinding?: ((finding: LiveFinding) => void) | undefined;
}

const keyCharactersMin = 8;

/** Judges traffic while it comes. */
export class TrafficJudge {
  readonly #judgement: TrafficJudgement;
  readonly #redactor = new Redactor();
  readonly #server: ServerJudge | undefined;
  readonly #client: ClientJudge | undefined;
  /** The requirements of which a breach was told. */
  readonly #told = new Set<RequirementId>();
  #startedAtMs: number | undefined;
  #exchanges = 0;
  #ofTheApi = 0;

  constructor(judgement: TrafficJudgement) {
    this.#judgement = judgement;
    const { judged, routes } = judgement;
    const evidenceOf = (recorded: RecordedExchange): Evidence => this.evidenceOf(recorded);
    const onFirstBreach = (id: RequirementId, breach: TrafficBreach): void =>
      this.#found(id, breach);
    const traffic = { ...judgement, redactor: this.#redactor, evidenceOf, onFirstBreach };
    if (judged.includes("server")) this.#server = this.#serverJudge(traffic);
    if (judged.includes("client")) {
      this.#client = new ClientJudge(routes, evidenceOf, onFirstBreach);
    }
  }

  /** A judge of servers of which everything that it learns is told when it is learned. */
  #serverJudge(traffic: ServerTraffic): ServerJudge {
    const server = new ServerJudge(traffic);
    const { discovery } = server;
    discovery.onLearning = (learning) => {
      for (const { mismatches } of resultsOf(discovery, [learning])) {
        for (const each of mismatches) this.#found(each.requirement, each);
      }
    };
    return server;
  }

  /** How many exchanges were looked at, and how many of them ask for an operation of the API. */
  get counts(): { readonly exchanges: number; readonly ofTheApi: number } {
    return { exchanges: this.#exchanges, ofTheApi: this.#ofTheApi };
  }

  observe(recorded: RecordedExchange): void {
    this.#startedAtMs ??= recorded.arrivedMs;
    this.#exchanges += 1;
    if (askedFor(recorded, this.#judgement.routes) !== undefined) this.#ofTheApi += 1;
    const key = recorded.headers["authorization"]?.replace(/^Bearer /i, "");
    // Shorter ones are words, such as a scheme without a key.
    if (key !== undefined && key.length >= keyCharactersMin) this.#redactor.add("apiKey", key);
    this.#server?.observe(recorded);
    this.#client?.observe(recorded);
  }

  /** What was learned of the server. */
  get facts(): readonly Fact[] {
    return this.#server?.discovery.facts ?? [];
  }

  /** The verdicts: a check for each requirement that was seen, and what each cause breaks. */
  end(): readonly CheckResult[] {
    const { only } = this.#judgement;
    const learned = this.#server === undefined ? [] : resultsOf(this.#server.discovery);
    return [
      ...(this.#server === undefined ? [] : this.#resultsOf(this.#server.end())),
      ...learned.filter(({ covers }) => covers.some((id) => only.has(id))),
      ...(this.#client === undefined ? [] : this.#resultsOf(this.#client.end())),
    ];
  }

  #resultsOf(seen: SeenRequirements): readonly CheckResult[] {
    const { only } = this.#judgement;
    return [...seen.all()]
      .filter(([id]) => only.has(id))
      .flatMap(([id, what]) => this.#resultOf(id, what));
  }

  #resultOf(
    id: RequirementId,
    { held, breaches, breachCount }: SeenRequirement,
  ): readonly CheckResult[] {
    const observed = Object.fromEntries(held);
    const base = {
      name: `traffic/${id}`,
      covers: [id],
      durationMs: 0,
      evidence: [],
      ...(held.size > 0 && { observed }),
    };
    const [first] = breaches;
    if (first === undefined) {
      const isWhole =
        requirements[id].catalogue === "client" || shownByTraffic[id]?.isWhole === true;
      const reason = shownByTraffic[id]?.shownBy;
      return isWhole
        ? [{ ...base, verdict: "pass" }]
        : [
            {
              ...base,
              verdict: "not-run",
              reason: `traffic shows a breach of it alone${reason === undefined ? "" : `: ${reason}`}`,
            },
          ];
    }
    const evidence = breaches.flatMap((each) => each.evidence);
    const mismatches = breaches.map(({ at, expected, got }, index) => {
      const counted = index === 0 && breachCount > 1 ? `${got} (${breachCount} times)` : got;
      return {
        requirement: id,
        ...redactedWords({ at, expected, got: counted }, this.#redactor),
      };
    });
    const excuse = this.#learnedThat("excuses", id, breaches);
    if (excuse !== undefined) {
      const reason = `not decided, because ${this.#redactor.redact(excuse.text)}`;
      return [{ ...base, verdict: "not-run", reason, cause: excuse.id }];
    }
    const cause = this.#learnedThat("explains", id, breaches)?.id;
    return [
      { ...base, verdict: "fail", mismatches, evidence, ...(cause !== undefined && { cause }) },
    ];
  }

  /** What was learned of the server that explains, or excuses, all of these breaches. */
  #learnedThat(
    how: "explains" | "excuses",
    requirement: RequirementId,
    breaches: readonly TrafficBreach[],
  ): Learning | undefined {
    return this.#server?.discovery.learned.find((learning) =>
      breaches.every(
        ({ at, expected, got, evidence }) =>
          learning[how]?.({ requirement, at, expected, got }, evidence[0]) === true,
      ),
    );
  }

  #found(id: RequirementId, breach: BreachWords): void {
    const { only, onFinding } = this.#judgement;
    if (!only.has(id) || onFinding === undefined || this.#told.has(id)) return;
    this.#told.add(id);
    const { text } = requirements[id];
    onFinding({ requirement: id, text, ...redactedWords(breach, this.#redactor) });
  }

  /** An exchange as a report shows it, without keys. */
  evidenceOf(recorded: RecordedExchange): Evidence {
    return evidenceOfRecorded(recorded, this.#redactor, this.#startedAtMs ?? 0);
  }
}

/** Why traffic did not show a requirement, and what would. */
export function notSeenReason(
  id: RequirementId,
  { isSoleClient, allowance }: Pick<TrafficJudgement, "isSoleClient" | "allowance">,
): string {
  const { decided, catalogue, profile } = requirements[id];
  if (catalogue === "client") {
    if (profile === "receiver")
      return "it is about receivers of webhooks: `queueproof client --receiver URL`";
    if (decided === "outcome")
      return "it needs to know what the program made of the answers: `queueproof client -- COMMAND`";
    const rule = trafficRules.find(({ requirement }) => requirement === id);
    return `no traffic showed it, such as ${rule?.shownBy ?? "a request"}`;
  }
  const shown = shownByTraffic[id];
  if (shown === undefined)
    return "traffic shows nothing of it: `queueproof contract` or `load` decides it";
  if (shown.isOfLimits === true && (!isSoleClient || allowance === undefined)) {
    return "it is judged only where --sole-client says that nobody else uses the endpoint, and --allowance what the limits allow for each worker";
  }
  if (shown.isOfCounts === true && !isSoleClient) {
    return "it is judged only where --sole-client says that nobody else uses the endpoint";
  }
  return `no traffic showed it, such as ${shown.shownBy}`;
}
