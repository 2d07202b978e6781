import type { Reference } from "../../reference/start-reference.ts";
import { withoutOwnVariables } from "../../traffic/clients/variables.ts";
import { PrintedLines } from "../../traffic/workers/printed-lines.ts";
import { WorkerProcesses } from "../../traffic/workers/worker-processes.ts";
import type { WorkerProcess } from "../../traffic/workers/worker-processes.ts";
import { coloursFor } from "../colours.ts";
import type { Io } from "../io.ts";
import { oneLine } from "../progress/one-line.ts";
import type { ServeSettings } from "../settings/serve.ts";

/** One that ends so soon after its start, so many times in a row, is not started again. */
const soonMs = 5_000;
const soonEndsMax = 3;

/** Keeps what workers print, and prints each line behind its worker's id. */
export function printedLinesOn(io: Io): PrintedLines {
  const { dim } = coloursFor(io);
  return new PrintedLines((workerId, line) => {
    io.writeError(`${dim(workerId)}  ${oneLine(line)}\n`);
  });
}

/** Starts the processes of a worker for a served endpoint, and starts another where one has ended. */
export function startServedWorkers(
  { workerEnvironment = {} }: Reference,
  { command, processes }: NonNullable<ServeSettings["workerProgram"]>,
  { lines, io }: { readonly lines: PrintedLines; readonly io: Io },
): Promise<WorkerProcesses> {
  let soonEnds = 0;
  const isReplaced = ({ id, startedMs, end }: WorkerProcess): boolean => {
    soonEnds = end !== undefined && end.atMs - startedMs < soonMs ? soonEnds + 1 : 0;
    const isLast = soonEnds >= soonEndsMax;
    const how = end?.exitCode === null ? `by ${end.signal}` : `with exit code ${end?.exitCode}`;
    const next = isLast
      ? `it has done so ${soonEndsMax} times within ${soonMs / 1000} s, and is not started again`
      : "another is started";
    io.writeError(`warning: ${id} ended ${how}; ${next}\n`);
    return !isLast;
  };
  return WorkerProcesses.start({
    command: ["/bin/sh", "-c", command],
    count: processes,
    told: workerEnvironment,
    environment: withoutOwnVariables(io.environment),
    workingDirectory: io.workingDirectory,
    onPrinted: (workerId, text) => lines.add(workerId, text),
    isReplaced,
  });
}
