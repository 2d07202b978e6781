import type { ControlCall, Exchange, Redactor } from "../../client/index.ts";
import type { Evidence } from "./evidence.ts";
import type { Findings } from "./expect.ts";

/** One thing that a check did, in the order in which it was begun or answered. */
export type Deed =
  | { readonly kind: "exchange"; readonly exchange: Exchange }
  | { readonly kind: "control"; readonly call: ControlCall }
  | { readonly kind: "endpoint"; readonly endpointId: string };

/** Everything that one check did and found. */
export class Recorder {
  readonly findings: Findings = { comparisons: new Map(), mismatches: [], readings: [] };
  /** Exchanges of other checks, laid down as evidence. */
  readonly testimony: Evidence[] = [];
  /** The steps of a random sequence, one line each. */
  readonly steps: string[] = [];
  readonly redactor: Redactor;
  #deeds: Deed[] = [];

  constructor(redactor: Redactor) {
    this.redactor = redactor;
  }

  /** Takes down a deed. */
  did(deed: Deed): void {
    this.#deeds.push(deed);
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
