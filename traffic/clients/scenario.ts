import type { RequirementId } from "../../openapi/requirements.ts";
import type { BehaviourChange, Behaviour } from "../../reference/behaviour.ts";
import type { HandlerFunction } from "../../reference/own-handler.ts";
import type { EndedProgram } from "../program.ts";
import type { ClientTask } from "./client-tasks.ts";
import type { AskedFor, OperationRoute, RecordedExchange } from "../recording/recorded-exchange.ts";
import type { Decision } from "../decision.ts";
import type { Trouble } from "../recording/relay.ts";

/** A request that comes, as far as a scenario looks at it. */
export interface ScenarioRequest extends AskedFor {
  /** How many requests of this operation came before. */
  readonly before: number;
  /** Whether it asked the address that the program was told, and not one that it was redirected to. */
  readonly isAtHome: boolean;
}

/** What a scenario can do to the server besides what its clients do. */
export interface ScenarioServer {
  /** Another host name for the same server. */
  readonly elsewhere: string;
  /** Cancels a job, as another user of the endpoint would. */
  readonly cancel: (jobId: string) => Promise<unknown>;
}

export type TroubleFor = (request: ScenarioRequest, server: ScenarioServer) => Trouble | undefined;

/** What a program is given as the job's input. */
export type ScenarioInput = Readonly<Record<string, unknown>>;

/** Something a client has to live with, and what is looked for. */
export interface ClientScenario {
  readonly name: string;
  /** What the server does, in one sentence. */
  readonly about: string;
  readonly task: ClientTask;
  /** What the handler returns, and the program is to deliver; default an object. For a stream its chunks. */
  readonly output?: unknown;
  /** The same, where it is another for each input. */
  readonly outputOf?: (input: ScenarioInput) => unknown;
  /** Default: returns the output, or yields it for a stream, after a moment. Called anew for each run. */
  readonly handler?: () => HandlerFunction;
  readonly change?: (behaviour: Behaviour) => BehaviourChange;
  /** Called anew for each run. */
  readonly trouble?: () => TroubleFor;
  /** How long the program may take, by JOB_API_TIMEOUT_MS; default 20 s. */
  readonly timeoutMs?: number;
  /** How many programs run at the same time, each with an input of its own; default 1. */
  readonly copies?: number;
  /** Whether it is about refusals, so that it runs without TLS as well. */
  readonly isOfRefusals?: true;
  /** What tells of the trouble: one of these words has to be in what the program prints where it fails. */
  readonly words?: readonly RegExp[];
  /** Which entries its traffic is there to show, beside those that it decides. */
  readonly shows?: readonly RequirementId[];
  readonly decides: Readonly<Partial<Record<RequirementId, Expectation>>>;
}

/** A program that was started for a scenario, with what it was given and what came of it. */
export interface ScenarioCopy {
  readonly input: ScenarioInput;
  /** What it is to deliver. */
  readonly output: unknown;
  readonly end: EndedProgram;
}

export interface ClientScenarioRun {
  readonly scenario: ClientScenario;
  readonly copies: readonly ScenarioCopy[];
  /** Everything that was asked, in the order in which it came. */
  readonly exchanges: readonly RecordedExchange[];
  readonly routes: readonly OperationRoute[];
  /** The address that the program was told. */
  readonly origin: string;
  readonly endpointId: string;
  readonly apiKey: string;
  /** Whether the scenario's trouble came to any request; true where it makes none. */
  readonly hadTrouble: boolean;
  readonly startedAtMs: number;
  readonly durationMs: number;
}

export type Expectation = (run: ClientScenarioRun) => Decision;

/** One scenario, over TLS or without. */
export interface PlannedScenario {
  readonly scenario: ClientScenario;
  readonly isPlain: boolean;
}
