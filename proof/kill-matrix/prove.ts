import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { loadCheckSummaries } from "../../load/check-summaries.ts";
import { isOfLoad } from "../../openapi/requirements.ts";
import { faults as allFaults } from "../faults/faults.ts";
import type { Fault } from "../../reference/faults.ts";
import {
  singleVariations,
  variationNamed,
  variations as allVariations,
} from "../variations/variations.ts";
import { variationsTogether } from "../variations/combined.ts";
import type { Variation } from "../variations/variation.ts";
import { CommandError } from "../../cli/errors.ts";
import type { Io } from "../../cli/io.ts";
import { cleanRuns } from "./clean-runs.ts";
import { evidenceText, parseEvidence } from "./evidence-file.ts";
import type { KeptEvidence } from "./evidence-file.ts";
import { checksToProve } from "./listed-checks.ts";
import { alarmsOf, evidenceOf, killMatrix, matrixSummary, problemsOf } from "./kill-matrix.ts";
import { proveByJobs } from "./jobs.ts";
import type { FaultTrial, Proof } from "./proof.ts";
import { chosen } from "./suite-job.ts";
import { proveContractOnRealClock } from "./contract-on-real-clock.ts";
import { proveOnRealClock } from "./real-clock.ts";
import { suiteChecks } from "./suite-job.ts";
import type { Subject } from "./suite-job.ts";
import { runSuites, tryEach } from "./suite-pool.ts";
import { faultSubject, withUndecidedAgain, withUnprovedAgain } from "./try-again.ts";
import { variationProblems, variationsSummary } from "./variation-problems.ts";
import type { VariationTrial } from "./variation-problems.ts";
import type { ProofOptions } from "./options.ts";

/**
 * Proves the suite: by faults that it has to find, by permitted variations that it must not take for
 * faults, or by clean runs. Keeps the evidence, or compares it with what is kept, and returns the exit
 * code: 1 where the proof is not complete.
 * @throws CommandError NOTHING_SELECTED when the names match nothing.
 */
export async function prove(options: ProofOptions, io: Io): Promise<number> {
  if (options.mode === "clean-runs") return cleanRuns(io, options.runs);
  const { problems, summary, evidence } = await proofs[options.mode](options, io);
  const stale = evidence === undefined ? [] : await keep(evidence, options, io);
  for (const problem of [...problems, ...stale]) io.write(`${problem}\n`);
  io.write(`${summary}\n`);
  return problems.length + stale.length > 0 ? 1 : 0;
}

const proofs = {
  faults: proveByFaults,
  variations: proveByVariations,
  "real-clock": proveRealClock,
  "contract-on-real-clock": proveContractByTime,
  jobs: (options: ProofOptions, io: Io) => counted(proveByJobs, 50, { options, io }),
} as const;

async function proveRealClock(options: ProofOptions, io: Io): Promise<Proof> {
  const matrix = await readKept(keptFiles.faults, io);
  const realClock = await readKept(keptFiles["real-clock"], io);
  return counted((names, onRun) => proveOnRealClock(names, { matrix, realClock }, onRun), 10, {
    options,
    io,
  });
}

async function proveContractByTime({ names }: ProofOptions, io: Io): Promise<Proof> {
  return proveContractOnRealClock(names, (line) => io.writeError(`${line}\n`));
}

/** Carries out a proof, and reports its progress after every `step` runs. */
async function counted(
  proveNamed: (names: readonly string[], onRun: (total: number) => void) => Promise<Proof>,
  step: number,
  { options: { names }, io }: { readonly options: ProofOptions; readonly io: Io },
): Promise<Proof> {
  let ended = 0;
  const proof = await proveNamed(names, (total) => {
    ended += 1;
    if (ended % step === 0) io.writeError(`${ended} of ${total}\n`);
  });
  if (ended === 0) refuseNone([], names);
  return proof;
}

async function proveByFaults(options: ProofOptions, io: Io): Promise<Proof> {
  const { names, aim, check, out = keptFiles.faults } = options;
  const selected = longestFirst(chosen(allFaults, names, ({ breaks }) => breaks));
  refuseNone(selected, names);
  const clean: Subject = {
    kind: "clean",
    delayMs: 0,
    ...(names.length > 0 && { requirements: selected.flatMap(({ breaks }) => breaks) }),
  };
  const kept = check ? await readKept(out, io) : undefined;
  const listed = kept === undefined ? undefined : checksToProve(kept);
  const subjects = selected.map((fault) => faultSubject(fault, aim, listed?.get(fault.name)));
  const [cleanRun, ...runs] = await runSuites([clean, ...subjects], {
    onRun: progress(subjects.length + 1, io),
    ...(aim === "named" ? { suitesEach: faultsEach } : { suiteMsMax: wholeSuiteMsMax }),
  });
  const first = selected.flatMap((fault, at): FaultTrial[] => {
    const run = runs[at];
    return run === undefined ? [] : [{ fault, run }];
  });
  const decided = await withUndecidedAgain(first, aim);
  // Where only some faults are run, or runs end at the first failure, they cannot prove every check.
  const provesChecks = names.length === 0 && aim !== "whole-until-caught";
  const allChecks = [...suiteChecks, ...loadCheckSummaries];
  const checkNames = provesChecks ? allChecks.map(({ name }) => name) : [];
  const trials =
    kept === undefined ? decided : await withUnprovedAgain(decided, { kept, checkNames });
  const matrix = killMatrix(trials, checkNames);
  const alarms = cleanRun === undefined ? [] : alarmsOf(cleanRun);
  return {
    problems: [
      ...alarms.map((alarm) => `the clean reference: ${alarm}`),
      ...problemsOf(matrix, trials),
    ],
    summary: matrixSummary(matrix),
    evidence: evidenceOf(matrix),
  };
}

/** How many faults one process tries at once: with many of them the suite waits for answers. */
const faultsEach = 4;

/** The whole suite may meet a fault of limits, for which load is tried three times, on a machine with other work. */
const wholeSuiteMsMax = 900_000;

/**
 * Puts first the faults that take long, so that none is left for the end: those that need thousands of requests, and in
 * between those that wait in real time, so that neither the processor nor the clock is waited for.
 */
function longestFirst(faults: readonly Fault[]): readonly Fault[] {
  const computing = faults.filter((fault) => !isWaiting(fault));
  const byLoad = computing.toSorted((one, other) => loadIdsOf(other) - loadIdsOf(one));
  return [faults.filter((fault) => isWaiting(fault)), byLoad]
    .flatMap((group) => group.map((fault, at) => ({ fault, at })))
    .toSorted((one, other) => one.at - other.at)
    .map(({ fault }) => fault);
}

function isWaiting({ name }: Fault): boolean {
  return /^(?:delay|leak)\//.test(name);
}

function loadIdsOf({ breaks }: Fault): number {
  return breaks.filter((id) => isOfLoad(id)).length;
}

async function proveByVariations(
  { names, together, runs: times = 1 }: ProofOptions,
  io: Io,
): Promise<Proof> {
  const wanted = together === undefined ? allVariations : singleVariations;
  const chosenOnes = chosen(wanted, names, () => []);
  refuseNone(chosenOnes, names);
  const variations = together === undefined ? chosenOnes : onServersTogether(chosenOnes, together);
  const selected = Array.from({ length: times }, () => variations).flat();
  const limits = together === undefined ? "all" : "lowest";
  const trials = await tryVariations(selected, limits, io);
  const alarmed = trials.filter((trial) => variationProblems(trial).length > 0);
  // Each variation of a server with an alarm is tried by itself, to find the one that raises it.
  const suspects = alarmed.flatMap(({ variation: { name } }) =>
    singleVariations.filter((single) => name.split("+").includes(single.name)),
  );
  const apart = together === undefined ? [] : await tryVariations(suspects, limits, io);
  return {
    problems: [...trials, ...apart].flatMap((trial) => variationProblems(trial)),
    summary: variationsSummary(trials),
  };
}

function onServersTogether(single: readonly Variation[], most: number): readonly Variation[] {
  return variationsTogether(single, most).flatMap(
    (row) => variationNamed(row.map(({ name }) => name).join("+")) ?? [],
  );
}

async function tryVariations(
  variations: readonly Variation[],
  limits: "all" | "lowest",
  io: Io,
): Promise<readonly VariationTrial[]> {
  const tried = await tryEach(
    variations,
    ({ name }): Subject => ({ kind: "variation", name, limits }),
    { onRun: progress(variations.length, io) },
  );
  return tried.map(({ item: variation, run }) => ({ variation, run }));
}

function refuseNone(selected: readonly unknown[], names: readonly string[]): void {
  if (selected.length > 0) return;
  throw new CommandError("NOTHING_SELECTED", `${names.join(", ")} matches nothing`, {
    hint: "Give the name of a fault or a variation, or a requirement id; * stands for any characters.",
  });
}

const keptFiles = {
  faults: "docs/evidence/kill-matrix.json",
  "real-clock": "docs/evidence/real-clock.json",
  "contract-on-real-clock": "docs/evidence/contract-on-real-clock.json",
  jobs: "docs/evidence/caught-with-jobs.json",
} as const;

/**
 * Writes the evidence, or with `check` says that what is kept is of other faults. Where only some faults were run, what
 * is kept of the others stays.
 */
async function keep(
  found: KeptEvidence,
  { mode, aim, names, out, check }: ProofOptions,
  io: Io,
): Promise<readonly string[]> {
  if (mode === "clean-runs" || mode === "variations") return [];
  // A run against one fault ends at its first failure, and names one check.
  if (out === undefined && aim === "whole-until-caught") return [];
  const name = out ?? keptFiles[mode];
  const kept = parseEvidence(await readKept(name, io));
  if (check) {
    const missing = Object.keys(found).filter((fault) => kept[fault] === undefined);
    const gone = names.length > 0 ? [] : Object.keys(kept).filter((fault) => !(fault in found));
    return [...missing, ...gone].map(
      (fault) => `${name} is out of date for ${fault}: run the same command without --check`,
    );
  }
  const path = resolve(io.workingDirectory, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, evidenceText(names.length > 0 ? { ...kept, ...found } : found));
  return [];
}

/** The evidence on disk; empty where there is none. */
function readKept(name: string, io: Io): Promise<string> {
  return readFile(resolve(io.workingDirectory, name), "utf8").catch(() => "");
}

/** Reports progress: all the while on a terminal, elsewhere in steps of a tenth. */
function progress(total: number, io: Io): () => void {
  let ended = 0;
  return () => {
    ended += 1;
    if (io.terminal) io.writeError(`\r${ended} of ${total}${ended === total ? "\n" : ""}`);
    else if (total >= 100 && ended % Math.ceil(total / 10) === 0) {
      io.writeError(`${ended} of ${total}\n`);
    }
  };
}
