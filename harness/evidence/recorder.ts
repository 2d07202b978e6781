import type { Evidence } from "../../openapi/index.ts";
import type { ControlCall, Exchange, Redactor } from "../../client/index.ts";
import type { TimeLog } from "../timeline/time-log.ts";
import { Deviations } from "../expect.ts";
import type { Findings } from "../expect.ts";
import type { Hook } from "../webhooks/hook.ts";
import type { Terms } from "../dialects/dialect-adapter.ts";

/** One thing that a check did, in the order in which it was begun or answered. */
export type Deed =
  | { readonly kind: "exchange"; readonly exchange: Exchange }
  | { readonly kind: "control"; readonly call: ControlCall }
  | { readonly kind: "endpoint"; readonly endpointId: string };

/** Everything that one check did and found. */
export class Recorder {
  readonly findings: Findings;
  /** Exchanges of other checks, laid down as evidence. */
  readonly testimony: Evidence[] = [];
  /** The steps of a random sequence, one line each. */
  readonly steps: string[] = [];
  /** The addresses it had called. */
  readonly hooks: Hook[] = [];
  /** The time of each endpoint it worked on, by the endpoint's id. */
  readonly endpoints = new Map<string, TimeLog>();
  readonly redactor: Redactor;
  #deeds: Deed[] = [];

  constructor(redactor: Redactor, terms: Terms) {
    this.redactor = redactor;
    this.findings = {
      comparisons: new Map(),
      mismatches: [],
      readings: [],
      deviations: new Deviations(),
      terms,
    };
  }

  /** Takes down a deed. */
  did(deed: Deed): void {
    this.#deeds.push(deed);
    if (deed.kind !== "exchange") return;
    const { failure } = deed.exchange;
    if (failure?.kind === "connection") this.findings.lost ??= failure.message;
    for (const deviation of deed.exchange.deviations ?? []) this.findings.deviations.add(deviation);
  }

  /** Forgets what was done so far: what comes now is the whole story. */
  startOver(): void {
    this.#deeds = [];
  }

  get deeds(): readonly Deed[] {
    return this.#deeds;
  }

  get exchanges(): readonly Exchange[] {
    return this.#deeds.flatMap((deed) => (deed.kind === "exchange" ? [deed.exchange] : []));
  }
}
