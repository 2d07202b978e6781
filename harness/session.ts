import { ControlClient, isAdvance } from "../client/control-client.ts";
import { JobClient } from "../client/job-client.ts";
import { Redactor } from "../client/redactor.ts";
import type { Transport } from "../client/transport.ts";
import { openTransport, probeTarget } from "./open-transport.ts";
import { monotonicNowMs } from "../client/exchange.ts";
import { rulesFor } from "../client/request-rules.ts";
import type { EndpointOptions } from "../client/control-client.ts";
import type { Capability } from "../openapi/capabilities.ts";
import type { OperationName } from "../openapi/operations.ts";
import type { Outage, TargetGone } from "../reports/model.ts";
import type { ConfiguredDialect } from "./dialects/configured-dialect.ts";
import { Discovery } from "./discovery/discovery.ts";
import { learnSilent, noteBlocking } from "./discovery/slow-operations.ts";
import { learnOfPurge } from "./discovery/operations.ts";
import { dialectOf, endCheck } from "./discovery/learned-dialect.ts";
import { History } from "./history.ts";
import { ClockModes } from "./endpoint/clock-modes.ts";
import { makesEndpoints } from "./endpoint/endpoint-source.ts";
import { createFreshEndpoint, openSharedEndpoint } from "./endpoint/test-endpoint.ts";
import type { TestEndpoint } from "./endpoint/test-endpoint.ts";
import type { Check } from "./check.ts";
import { EndpointPool } from "./endpoint/endpoint-pool.ts";
import { SharedEndpoints } from "./endpoint/shared-endpoints.ts";
import { EndpointLease } from "./endpoint/endpoint-lease.ts";
import type { EndpointConnection } from "./endpoint-connection.ts";
import { startBudget } from "./check-budget.ts";
import type { CheckBudget } from "./check-budget.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";
import { Inconclusive } from "./outcome.ts";
import { EventLoopLag } from "./event-loop-lag.ts";
import { JobProgress } from "./job-progress.ts";
import { NewJobs } from "./new-jobs.ts";
import { isSuccess } from "./read.ts";
import { senderOf } from "./resend.ts";
import { TargetWatch } from "./target-watch.ts";
import { RunWebhooks } from "./run-webhooks.ts";
import { conformanceJobs } from "./inputs/conformance-jobs.ts";
import { RunBound } from "./run-bound.ts";
import { Payloads } from "./jobs/payload.ts";
import { keptWorkersMs, knownWorkers } from "./discovery/kept-workers.ts";
import { jobsFor, lastingMs } from "./inputs/jobs.ts";
import type { Jobs, KnownWorkers, WorkLength } from "./inputs/jobs.ts";
import { OwnJobs } from "./inputs/own-jobs.ts";
import type { Target } from "./target.ts";
import { addTargetSecrets } from "./target-secrets.ts";
import { Pace } from "./endpoint/pace.ts";
import { RequestCounts } from "./endpoint/send-at-pace.ts";
import { noteRefusal, rateLimitSlotsInMs } from "./endpoint/rate-limit-slot.ts";
import { sendOnRealClock } from "./send-on-real-clock.ts";

/** How many checks run at once where each has an endpoint of its own; only one of them may move megabytes. */
const concurrencyIsolated = { short: 30, long: 1, longAlone: 1 };

/** Holds what the checks of a run share: connections, secrets, the webhook receiver, and whose turn it is. */
export class Session {
  readonly target: Target;
  readonly seed: number;
  readonly startedAtMs = monotonicNowMs();
  readonly redactor = new Redactor();
  readonly history: History;
  readonly jobs: Jobs;
  /** The jobs of the jobs file, where the target has one; `jobs` is the same then. */
  readonly ownJobs: OwnJobs | undefined;
  /** Translates between the target's terms and those of the specification. */
  readonly dialect: ConfiguredDialect;
  /** What was learned of the target before it is judged. */
  readonly discovery: Discovery;
  /** Called when a check begins to wait; `untilMs` is in milliseconds since 1970. */
  onWaiting: ((waiting: { readonly check: string; readonly untilMs: number }) => void) | undefined;
  readonly #pool: EndpointPool;
  readonly #shared: SharedEndpoints;
  readonly #breaker = new CircuitBreaker();
  readonly #held = { characters: 0 };
  /** How long the whole run may take. */
  readonly bound: RunBound;
  /** Called when it is known anew until when the run may last, in milliseconds since 1970. */
  onBound: ((untilMs: number) => void) | undefined;
  readonly #watch: TargetWatch;
  /** The times at which the target was away. */
  readonly outages: Outage[] = [];
  /** How the target stopped answering for good; `undefined` while it is there. */
  targetGone: TargetGone | undefined;
  readonly #transport: Transport;
  #payloads: Payloads | undefined;
  readonly #clockModes = new ClockModes();
  readonly #newJobs: NewJobs;
  /** How fast the target may be asked. */
  readonly pace: Pace;
  readonly #counts = new RequestCounts();
  /** Whether the target has answered any request with a success. Before that its refusals show nothing. */
  hasAccepted = false;
  readonly webhooks: RunWebhooks;
  /** Whether jobs of the run begin and end. */
  readonly progress: JobProgress;
  readonly #workers: KnownWorkers;
  readonly #eventLoopLag = new EventLoopLag();

  constructor(target: Target, seed: number) {
    const rules = rulesFor(target);
    this.target = target;
    this.pace = target.pace ?? new Pace(target.requestsPerSecond);
    this.discovery = target.discovery ?? new Discovery(this.redactor);
    this.#newJobs = new NewJobs(this.discovery.idsReadableWithinMs, this.virtual);
    this.dialect = dialectOf(target);
    this.progress = new JobProgress(this.discovery, target.workersSeen ?? 1, this.#eventLoopLag);
    const { discovery, dialect, virtual } = this;
    this.#workers = knownWorkers(discovery, dialect);
    this.webhooks = new RunWebhooks({ target, dialect, discovery, virtual });
    this.ownJobs = target.jobs === undefined ? undefined : new OwnJobs(target.jobs);
    this.jobs = this.ownJobs ?? conformanceJobs;
    this.#transport = openTransport(rules, discovery);
    this.#watch = new TargetWatch({
      timeoutMs: rules.timeoutMs,
      startedAtMs: this.startedAtMs,
      lastByteAtMs: () => this.#transport.lastByteAtMs,
      probe: async (withinMs) => probeTarget(this.#transport, target.baseUrl, withinMs),
      onGone: (gone) => {
        this.targetGone = gone;
        this.#breaker.trip(gone.reason);
      },
      onBlocked: (by, silentMs) => noteBlocking(this.#breaker, this.discovery, { ...by, silentMs }),
      onBack: (outage) => {
        this.outages.push(outage);
        // A target that was started anew may give out the ids of forgotten jobs again.
        this.history.forget();
        this.discovery.seenOfJobs.forget();
        this.webhooks.forget();
      },
    });
    this.bound = new RunBound({
      virtual: this.virtual,
      startedAtMs: this.startedAtMs,
      keptWorkersMs: () => keptWorkersMs(discovery),
      onOver: (reason) => this.#breaker.trip(reason),
      onBound: (limitMs) =>
        this.onBound?.(Date.now() + this.startedAtMs + limitMs - monotonicNowMs()),
    });
    this.seed = seed;
    this.history = new History({ keepsCounts: this.virtual });
    addTargetSecrets(this.redactor, target, rules);
    this.#shared = new SharedEndpoints(target);
    this.#pool = this.isolated ? new EndpointPool([concurrencyIsolated]) : this.#shared.pool;
  }

  offers(capability: Capability): boolean {
    if (capability === "webhook" && this.dialect.obstacle(capability) !== undefined) return false;
    if (this.discovery.kindsTakenAway.has(capability)) return false;
    return this.target.capabilities.includes(capability);
  }

  /** Whether every check gets an endpoint of its own. */
  get isolated(): boolean {
    return makesEndpoints(this.target);
  }

  /** Whether time stands still between calls of advance. */
  get virtual(): boolean {
    return this.isolated && this.offers("clock");
  }

  /** How long the slow job of the jobs file works; undefined where jobs do as the check asks. */
  get slowJob(): WorkLength | undefined {
    return this.target.jobs?.slow;
  }

  hasAnswered(operation: OperationName): boolean {
    return this.#breaker.hasAnswered(operation);
  }

  /** Why the run was ended before its checks had, where the target is gone or it took too long. */
  get whyOver(): string | undefined {
    return this.#breaker.failure?.message;
  }

  /** Makes the budget of one check. `realTimeMs`: how long it takes on a real clock. */
  budgetFor(realTimeMs: number, stop: AbortSignal | undefined): CheckBudget {
    const how = { ...this.#transport.rules, stop, breaker: this.#breaker, held: this.#held };
    return startBudget(this.virtual ? 0 : realTimeMs, how);
  }

  /** Makes the lease by which one check holds an endpoint. `isLong`: whether it keeps a worker busy for long; `checkMs`: how long it lasts. */
  leaseFor(
    check: Pick<Check, "exclusive" | "megabytes" | "name" | "purges" | "stalls" | "stallMsMax"> & {
      /** Absent: whichever is free. */
      readonly endpointNumber?: number;
    },
    { isLong, checkMs }: { readonly isLong: boolean; readonly checkMs: number },
    signal: AbortSignal,
  ): EndpointLease {
    const shared = !this.isolated;
    const sharing = (shared ? isLong : check.megabytes !== undefined) ? "long" : "short";
    const { purges = 0 } = check;
    const transport = this.#transport;
    const purgesInMs = (at: number): number =>
      rateLimitSlotsInMs({ ...this.#shared.at(at), transport }, "purge-queue", purges);
    return new EndpointLease(this.#pool, {
      hold: check.exclusive === true && shared ? "exclusive" : sharing,
      isToStall: check.stalls === true,
      endpoint: check.endpointNumber,
      stallMsMax: check.stallMsMax,
      stallsBy: purges > 0 ? "purging" : "stalled",
      readyInMs: shared && purges > 0 ? purgesInMs : undefined,
      holdsWhileWaiting: this.virtual,
      shared,
      occupancyOf: shared ? (at) => this.#shared.at(at).occupancy : undefined,
      progress: this.virtual ? undefined : this.progress,
      lag: this.#eventLoopLag,
      jobMsMax: this.#workers.endsByCancel() ? undefined : lastingMs(checkMs),
      signal,
      onWaiting: (ms) => this.onWaiting?.({ check: check.name, untilMs: Date.now() + ms }),
    });
  }

  /** An endpoint for one check: fresh where that is possible, else the shared one. */
  async endpoint(options: EndpointOptions, connection: EndpointConnection): Promise<TestEndpoint> {
    const { redactor, onEndpoint, lease, budget } = connection;
    const clientFor = (endpointId: string, apiKey: string): JobClient =>
      this.#clientFor(connection, { endpointId, apiKey });
    const control = this.#controlFor(connection);
    if (control !== undefined && this.isolated) {
      const { clock = this.virtual ? "virtual" : "real" } = options;
      const { signal } = budget;
      const gate = { redactor, clientFor, clockModes: this.#clockModes, onEndpoint, lease, signal };
      return createFreshEndpoint(control, { ...gate, jobs: this.jobs }, { ...options, clock });
    }
    const { endpointId } = this.#shared.at(lease.endpoint);
    const { apiKey, foreignKey } = this.target;
    if (endpointId === "" || apiKey === undefined) {
      throw new Inconclusive("no endpoint was named and the target makes no fresh ones");
    }
    return openSharedEndpoint(clientFor(endpointId, apiKey), {
      foreignKey,
      lease,
      jobs: jobsFor(this.#workers, this.jobs, connection.checkMs),
      onShared: connection.onExchange,
      control: this.offers("workers") ? control : undefined,
    });
  }

  #clientFor(
    { redactor, onExchange, check, lease, insists, budget }: EndpointConnection,
    { endpointId, apiKey }: { readonly endpointId: string; readonly apiKey: string },
  ): JobClient {
    const { signal } = budget;
    const send = senderOf({
      transport: this.#transport,
      watch: this.#watch,
      breaker: this.#breaker,
      bound: this.bound,
      pace: this.pace,
      // Time that stands still takes no request out of a limit's window.
      counts: this.virtual ? this.#counts : undefined,
      newJobs: this.#newJobs,
      onRefused: () => lease.noteRefusal(),
      check,
    });
    return new JobClient({
      transport: this.#transport,
      redactor,
      baseUrl: this.target.baseUrl,
      endpointId,
      apiKey,
      translation: this.dialect,
      onLacking: endCheck(this.dialect),
      send: this.virtual ? send : sendOnRealClock(this.progress.watching(send), this, lease),
      admit: async (operation, askedId) => {
        const failure = insists ? this.#breaker.failure : this.#breaker.failureOf(operation);
        if (failure !== undefined) return failure;
        // A request to another endpoint does not count against the limits of this one.
        if (!this.isolated && askedId === endpointId) {
          const { throttle } = this.#shared.at(lease.endpoint);
          const heldMs = await throttle.admit(operation, signal, () => lease.releaseWhileWaiting());
          // Two purges in ten seconds are so few that every check that purges is written to wait.
          if (operation !== "purge-queue") lease.addDelay(heldMs);
        }
        // Where there are no turns, nothing comes between a call and what it does to the lease.
        if (this.pace.hasTurns) lease.addPacedDelay(await this.#awaitTurn(signal));
        await lease.beforeRequest(operation);
        budget.sent();
        return undefined;
      },
      onExchange: (exchange) => {
        budget.answered(exchange);
        const { answer } = exchange;
        learnSilent(this.#breaker, this.discovery, exchange);
        if (exchange.request.endpointId === endpointId) learnOfPurge(this.discovery, exchange);
        if (answer !== undefined && isSuccess(answer)) this.hasAccepted = true;
        if (answer?.status === 429) {
          noteRefusal({ transport: this.#transport, endpointId }, exchange.operation);
        }
        lease.afterAnswer(exchange);
        this.#newJobs.note(exchange);
        if (!this.virtual) this.progress.note(exchange);
        this.webhooks.note(exchange);
        onExchange(exchange);
      },
      signal,
    });
  }

  /** How long a request was held back because the target takes no more a second: the run may take longer by that. */
  async #awaitTurn(signal: AbortSignal): Promise<number> {
    const heldMs = await this.pace.turn(signal);
    if (heldMs > 0) this.bound.answered(monotonicNowMs() - heldMs, monotonicNowMs());
    return heldMs;
  }

  #controlFor({ onControl, lease, budget }: EndpointConnection): ControlClient | undefined {
    const { controlUrl } = this.target;
    if (controlUrl === undefined) return undefined;
    return new ControlClient(this.#transport, controlUrl, {
      onCall: (call) => {
        // To move the clock changes nothing by itself: what was due has happened when it is answered.
        if (!isAdvance(call)) lease.noteActivity();
        onControl(call);
      },
      onAdvanced: (endpointId, span) => this.history.settled(endpointId, span),
      signal: budget.signal,
    });
  }

  /** Makes submissions of megabytes. All checks share one buffer where only one of them sends any at a time. */
  payloads(): Payloads {
    const own = this.ownJobs?.quick();
    return this.isolated ? (this.#payloads ??= new Payloads(own)) : new Payloads(own);
  }

  /** Ends every connection and the receiver. */
  async close(): Promise<void> {
    await this.webhooks.close();
    this.bound.close();
    this.#eventLoopLag.stop();
    this.#watch.close();
    await this.#transport.close();
  }
}
