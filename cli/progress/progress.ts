import { createColors } from "picocolors";
import type { CheckResult, CheckSummary, ContractEvent } from "../../contracts/index.ts";
import { colourAllowed } from "../io.ts";
import type { Io } from "../io.ts";
import { formatDuration } from "../settings/duration.ts";
import type { K6Progress } from "../../load/k6/index.ts";
import type { LoadCounts } from "../load-watch.ts";
import { LoadLine } from "./load-line.ts";
import { oneLine } from "./one-line.ts";

/** Shows a run while it goes on. */
export interface Progress {
  readonly onEvent: (event: ContractEvent) => void;
  /** From now on load is sent, and counted in here. */
  readonly onLoad: (counts: Readonly<LoadCounts>) => void;
  /** What k6 says of itself. */
  readonly onK6: (progress: K6Progress) => void;
  /** Removes what is only of the moment from the screen. */
  readonly stop: () => void;
}

/** Live on a terminal; a line for each check elsewhere. */
export function createProgress(io: Io): Progress {
  return io.terminal ? liveProgress(io) : plainProgress(io);
}

function plainProgress(io: Io): Progress {
  return {
    onEvent: (event) => {
      if (event.type === "planned")
        io.write(`${event.checks} check${event.checks === 1 ? "" : "s"}\n`);
      if (event.type === "finished") io.write(`${resultLine(event.result)}\n`);
    },
    onLoad: () => undefined,
    onK6: () => undefined,
    stop: () => undefined,
  };
}

function resultLine({ verdict, name, covers, durationMs, reason }: CheckResult): string {
  const tail = verdict === "pass" ? formatDuration(Math.max(durationMs, 1)) : (reason ?? "");
  return `${verdict.padEnd(12)}  ${covers.join(", ")}  ${name}  ${oneLine(tail)}`.trimEnd();
}

interface State {
  planned: number;
  /** Names: a check finishes once for each requirement it covers. */
  readonly finished: Set<string>;
  readonly failed: Set<string>;
  readonly running: Map<string, CheckSummary>;
}

const redrawMs = 80;

/** One line that is written over: counts, and what is running; what fails is said above it. */
function liveProgress(io: Io): Progress {
  const colours = createColors(colourAllowed(io));
  const state: State = { planned: 0, finished: new Set(), failed: new Set(), running: new Map() };
  const clear = "\r\u001B[2K";
  const load = new LoadLine();
  const draw = (): void => io.write(`${clear}${fit(liveLine(state, load.text()), io.columns)}`);
  const timer = setInterval(draw, redrawMs).unref();
  return {
    onEvent: (event) => {
      count(state, event);
      if (event.type !== "finished" || event.result.verdict !== "fail") return;
      io.write(`${clear}${colours.red("fail")}  ${fit(event.result.title, io.columns - 6)}\n`);
      draw();
    },
    onLoad: (counts) => load.follow(counts),
    onK6: (progress) => load.followK6(progress),
    stop: () => {
      clearInterval(timer);
      io.write(clear);
    },
  };
}

function count(state: State, event: ContractEvent): void {
  switch (event.type) {
    case "planned":
      // Contract and load plan one after the other.
      state.planned += event.checks;
      return;
    case "started":
      state.running.set(event.check.name, event.check);
      return;
    case "finished":
      state.running.delete(event.result.name);
      state.finished.add(event.result.name);
      if (event.result.verdict === "fail") state.failed.add(event.result.name);
  }
}

function liveLine({ planned, finished, failed, running }: State, load: string): string {
  const names = [...running.keys()].join(", ");
  const counted = `${finished.size} of ${planned} checks, ${failed.size} failed`;
  return [counted, load, names === "" ? "" : `running ${names}`]
    .filter((part) => part !== "")
    .join("; ");
}

/** At most `columns` characters less one, so that the terminal never breaks the line. */
function fit(text: string, columns: number): string {
  const line = oneLine(text);
  const widthMax = Math.max(columns - 1, 20);
  return line.length <= widthMax ? line : `${line.slice(0, widthMax - 3)}...`;
}
