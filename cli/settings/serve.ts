import { clientFaultNamed } from "../../reference/client-faults.ts";
import { referenceDialects } from "../../reference/dialects.ts";
import type { NewEndpoint } from "../../reference/service.ts";
import { CommandError } from "../errors.ts";
import type { Io } from "../io.ts";
import { serveOptions } from "./command-options.ts";
import { parseDurationMs } from "./duration.ts";
import { readEndpoints } from "./endpoints-file.ts";
import { resolveMeaningful } from "./resolve.ts";
import type { SemanticValidator } from "./resolve.ts";
import type { SettingValues } from "./options.ts";
import type { Flags } from "./sources.ts";

/** Faults, failures and delays that clients under test must cope with. */
export interface FaultInjection {
  readonly faults: readonly string[];
  /** From 0 to 1. */
  readonly failRate: number;
  readonly latency: { readonly fromMs: number; readonly toMs: number } | undefined;
  readonly seed: number;
}

export interface ServeSettings extends FaultInjection {
  readonly port: number;
  readonly host: string;
  /** The first endpoint is the default one. */
  readonly endpoints: readonly NewEndpoint[];
  readonly stateFile: string | undefined;
  /** The file of a handler in place of the conformance handler. */
  readonly handlerFile: string | undefined;
  /** Set where real workers process the jobs. */
  readonly externalWorkers: { readonly silenceMs: number } | undefined;
  /** A command for the shell that starts a worker, and how many processes of it work. */
  readonly workerProgram: { readonly command: string; readonly processes: number } | undefined;
  /** Whether the control protocol and the console page are offered. */
  readonly control: boolean;
  readonly webhookTo: readonly string[] | undefined;
  /** Names besides localhost under which clients on this machine may ask for the job API. */
  readonly allowedHosts: readonly string[];
  /** The name of a dialect that the reference supports. */
  readonly dialect: string;
  readonly listFaults: boolean;
  /** Whether each request is printed as it was answered. */
  readonly verbose: boolean;
  readonly stopWithinMs: number;
  readonly json: boolean;
}

/** Where it listens, and for whom. */
function whereOf({
  port = 0,
  host = "127.0.0.1",
  allowHost = [],
}: SettingValues): Pick<ServeSettings, "port" | "host" | "allowedHosts"> {
  return { port, host, allowedHosts: allowHost };
}

/**
 * Makes the complete settings of the server.
 * @throws CommandError WRONG_USAGE with every problem at once.
 */
export function serveSettings(flags: Flags, config: string | undefined, io: Io): ServeSettings {
  const values = resolveMeaningful({ settings: serveOptions, flags, config }, io, serveProblems);
  refuseUnspoken(values.dialect);
  return Object.freeze({
    ...whereOf(values),
    endpoints:
      values.endpoints === undefined
        ? [defaultEndpoint(values)]
        : readEndpoints(values.endpoints, values.speed, io),
    stateFile: values.state,
    handlerFile: values.handler,
    externalWorkers: externalWorkers(values),
    workerProgram: workerProgram(values),
    control: values.noControl !== true,
    webhookTo: values.webhookTo,
    dialect: values.dialect ?? "spec",
    faults: values.fault ?? [],
    failRate: values.failRate === undefined ? 0 : shareOf(values.failRate),
    latency: values.latency === undefined ? undefined : rangeOf(values.latency),
    seed: values.seed ?? 1,
    listFaults: values.listFaults ?? false,
    verbose: values.verbose ?? false,
    stopWithinMs: parseDurationMs(values.stopWithin ?? "5s"),
    json: values.json ?? false,
  });
}

/** Makes the default endpoint. What is absent comes from the state file, if there is one. */
function defaultEndpoint(values: SettingValues): NewEndpoint {
  const { workers, real, allowance, speed } = values;
  // As many jobs are worked on as the processes take.
  const wanted = workerProgram(values) === undefined ? workers : undefined;
  const count = wanted ?? (real === true ? "3" : undefined);
  return {
    clock: "real",
    speed,
    allowancePerWorker: allowance,
    workers: count === undefined ? undefined : planOf(count),
  };
}

function externalWorkers({
  worker,
  workerSilence = "40s",
}: SettingValues): ServeSettings["externalWorkers"] {
  return isBuiltIn(worker) ? undefined : { silenceMs: parseDurationMs(workerSilence) };
}

function isBuiltIn(worker: SettingValues["worker"]): boolean {
  return worker === undefined || worker === "built-in";
}

function workerProgram({ worker, workers = "1" }: SettingValues): ServeSettings["workerProgram"] {
  if (worker === undefined || isBuiltIn(worker) || worker === "external") return undefined;
  return { command: worker, processes: Number(workers) };
}

function planOf(text: string): NonNullable<NewEndpoint["workers"]> {
  const [min = 0, max] = text.split("-").map(Number);
  return max === undefined ? min : { min, max };
}

const serveProblems: SemanticValidator = (values, nameOf) => {
  const problems: string[] = [];
  if (values.workers !== undefined) {
    const plan = planOf(values.workers);
    if (typeof plan === "object" && plan.min > plan.max) {
      problems.push(
        `${nameOf("/workers")}: expected the smaller number first, got "${values.workers}"`,
      );
    }
  }
  if (values.latency !== undefined && isBackwards(rangeOf(values.latency))) {
    const problem = `expected the shorter duration first, got "${values.latency}"`;
    problems.push(`${nameOf("/latency")}: ${problem}`);
  }
  if (values.failRate !== undefined && shareOf(values.failRate) > 1) {
    problems.push(`${nameOf("/failRate")}: expected at most 100%, got "${values.failRate}"`);
  }
  for (const name of ["workers", "allowance", "real"] as const) {
    if (values.endpoints === undefined || values[name] === undefined) continue;
    problems.push(`${nameOf(`/${name}`)}: expected none beside --endpoints, whose file says it`);
  }
  return [...problems, ...externalWorkerProblems(values, nameOf)];
};

/** How many processes of a worker are started at most. */
const processesMax = 64;

/** Refuses what has no effect where real workers process the jobs: a handler, and faults of the built-in one. */
const externalWorkerProblems: SemanticValidator = (values, nameOf) => {
  const { worker, workers = "1" } = values;
  if (isBuiltIn(worker)) return [];
  const isProgram = worker !== "external";
  const count = Number(workers);
  const counts =
    isProgram && !(Number.isInteger(count) && count >= 1 && count <= processesMax)
      ? [`${nameOf("/workers")}: expected 1 to ${processesMax} processes, got "${workers}"`]
      : [];
  const handlers = values.handler === undefined ? [] : [`${nameOf("/handler")}: expected none`];
  return [
    ...counts,
    ...handlers.map((problem) => `${problem} beside external workers`),
    ...ineffectiveFaultProblems(values, nameOf),
  ];
};

const ineffectiveFaultProblems: SemanticValidator = ({ fault = [] }, nameOf) =>
  fault
    .filter((name) => clientFaultNamed(name)?.isOfBuiltInHandler === true)
    .map((name) => {
      const expected = "expected none of the built-in handler beside external workers";
      return `${nameOf("/fault")}: ${expected}, got "${name}"`;
    });

function shareOf(text: string): number {
  return text.endsWith("%") ? Number(text.slice(0, -1)) / 100 : Number(text);
}

type Latency = NonNullable<FaultInjection["latency"]>;

function rangeOf(text: string): Latency {
  const [from = text, to = from] = text.split("-");
  return { fromMs: parseDurationMs(from), toMs: parseDurationMs(to) };
}

function isBackwards({ fromMs, toMs }: Latency): boolean {
  return fromMs > toMs;
}

function refuseUnspoken(dialect = "spec"): void {
  const spoken = referenceDialects.map(({ name }) => name);
  if (spoken.includes(dialect)) return;
  throw new CommandError("WRONG_USAGE", "these settings cannot be used:", {
    problems: [`--dialect: expected ${spoken.join(" or ")}, got ${JSON.stringify(dialect)}`],
    hint: "Give --dialect one that the reference speaks, or leave it out.",
  });
}
