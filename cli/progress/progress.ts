import type { RequirementResult } from "../../harness/judge.ts";
import type { RunEvent } from "../../harness/run-events.ts";
import { coloursFor } from "../colours.ts";
import type { Io } from "../io.ts";
import { countText, durationText } from "../../reports/words.ts";
import type { LoadCounts } from "../load-watch.ts";
import { countsLine, fit, leftText, liveLines } from "./live-lines.ts";
import { LiveRegion } from "./live-region.ts";
import { oneLine } from "./one-line.ts";
import { RunFollower } from "./run-state.ts";

interface Look {
  readonly atMs: number;
  readonly sent: number;
}

/** The period over which the rate is measured. */
const rateOverMs = 1_000;

/** Describes the current load in a few words: rate, accepted, refused, in flight. */
export class LoadLine {
  #counts: Readonly<LoadCounts> | undefined;
  readonly #looks: Look[] = [];

  follow(counts: Readonly<LoadCounts>): void {
    this.#counts = counts;
  }

  /** @param nowMs the time on a monotonic clock. */
  text(nowMs = performance.now()): string {
    const counts = this.#counts;
    if (counts === undefined || counts.sent === 0) return "";
    const { sent, over, accepted, refused } = counts;
    const rate = `${this.#rate(sent, nowMs)}/s`;
    return `${rate}, ${accepted} accepted, ${refused} refused, ${sent - over} in flight`;
  }

  /** Requests per second, over about the last second. */
  #rate(sent: number, nowMs: number): number {
    this.#looks.push({ atMs: nowMs, sent });
    while ((this.#looks[1]?.atMs ?? nowMs) <= nowMs - rateOverMs) this.#looks.shift();
    const [first] = this.#looks;
    const overMs = Math.max(rateOverMs, nowMs - (first?.atMs ?? nowMs));
    return Math.round(((sent - (first?.sent ?? sent)) * 1_000) / overMs);
  }
}

/** Shows the progress of a run. */
export interface Progress {
  readonly onEvent: (event: RunEvent) => void;
  /** Says that load begins; `counts` is updated while it is sent. */
  readonly onLoad: (counts: Readonly<LoadCounts>) => void;
  /** Clears the display before other code writes. */
  readonly clear: () => void;
  /** Removes the live display from the screen. */
  readonly stop: () => void;
}

/**
 * Shows live progress on a terminal that can overwrite lines. Elsewhere and in CI it prints failures as they occur, the
 * longest waits, and every half minute the counts; with `verbose` it prints a line for each check.
 */
export function createProgress(io: Io, verbose: boolean): Progress {
  const { TERM: kind, CI: ci = "" } = io.environment;
  const canLive = io.terminal && kind !== "dumb" && (ci === "" || ci === "false");
  if (verbose) return verboseProgress(io);
  return canLive ? liveProgress(io) : quietProgress(io);
}

/** Shorter waits are not worth a line in a log. */
const waitMsMin = 10_000;
/** A wait is printed without --verbose only when it is longer by this than the last one printed. */
const longerWaitMsMin = 60_000;

/** How often a log is told how far the run is. */
const countsEveryMs = 30_000;

function quietProgress(io: Io): Progress {
  const follower = new RunFollower();
  const failures = new FailureLines();
  let toldUntilMs = 0;
  const timer = setInterval(() => {
    if (follower.state.planned > 0) io.write(`${countsLine(follower.state, Date.now())}\n`);
  }, countsEveryMs).unref();
  return {
    ...silent,
    stop: () => clearInterval(timer),
    onEvent: (event) => {
      follower.follow(event, Date.now());
      if (event.type === "planned") io.write(plannedLine(event.checks));
      if (event.type === "finished") io.write(failures.lineOf(event.result));
      if (event.type !== "waiting") return;
      const { untilMs } = event;
      if (untilMs < Math.max(Date.now(), toldUntilMs) + longerWaitMsMin) return;
      toldUntilMs = untilMs;
      io.write(waitingLine(event, follower));
    },
  };
}

/** So many failures are printed as they occur; the summary lists all of them. */
const failureLinesMax = 20;

/** The failures of a log: each requirement once, and each cause that was learned once. */
class FailureLines {
  readonly #told = new Set<string>();

  /** The line that a result adds to a log; empty where it adds none. */
  lineOf({ verdict, covers, name, cause, reason = "" }: RequirementResult): string {
    if (verdict !== "fail") return "";
    const what = cause ?? covers.join(", ");
    if (this.#told.has(what) || this.#told.size > failureLinesMax) return "";
    this.#told.add(what);
    if (this.#told.size > failureLinesMax) return "fail          more, which the summary lists\n";
    return `fail          ${covers.join(", ")}  ${name}  ${oneLine(reason).slice(0, reasonCharactersMax)}\n`;
  }
}

const reasonCharactersMax = 200;

const silent = { onLoad: () => undefined, clear: () => undefined, stop: () => undefined };

function plannedLine(checks: number): string {
  return `${countText(checks, "check")} to run\n`;
}

function waitingLine(
  { check, untilMs }: Extract<RunEvent, { type: "waiting" }>,
  { state }: RunFollower,
): string {
  const covers = state.running.get(check)?.covers.join(", ") ?? "";
  const until = new Date(untilMs).toISOString().slice(11, 19);
  return `waiting       ${covers}  ${check}  until ${until} UTC (${leftText(untilMs - Date.now())})\n`;
}

function verboseProgress(io: Io): Progress {
  const follower = new RunFollower();
  return {
    ...silent,
    onEvent: (event) => {
      follower.follow(event, Date.now());
      if (event.type === "planned") io.write(plannedLine(event.checks));
      if (event.type === "waiting" && event.untilMs - Date.now() >= waitMsMin) {
        io.write(waitingLine(event, follower));
      }
      if (event.type === "finished") io.write(`${resultLine(event.result)}\n`);
    },
  };
}

function resultLine({ verdict, name, covers, durationMs, reason }: RequirementResult): string {
  const tail = verdict === "pass" ? durationText(Math.max(durationMs, 1)) : (reason ?? "");
  return `${verdict.padEnd(12)}  ${covers.join(", ")}  ${name}  ${oneLine(tail)}`.trimEnd();
}

const redrawMs = 100;

/** Shows lines that are overwritten: counts, waiting checks, running checks. Failures are printed above them. */
function liveProgress(io: Io): Progress {
  const colours = coloursFor(io);
  const load = new LoadLine();
  const follower = new RunFollower();
  const region = new LiveRegion(io);
  const draw = (): void => {
    const { columns, rows } = io;
    region.show(liveLines(follower.state, { columns, rows, nowMs: Date.now(), load: load.text() }));
  };
  const timer = setInterval(draw, redrawMs).unref();
  return {
    onEvent: (event) => {
      follower.follow(event, Date.now());
      if (event.type !== "finished" || event.result.verdict !== "fail") return;
      const { title, covers } = event.result;
      const line = fit(`fail  ${covers.join(", ")}  ${title}`, io.columns);
      region.print(line.replace(/^fail/, colours.red("fail")));
      draw();
    },
    onLoad: (counts) => load.follow(counts),
    clear: () => region.clear(),
    stop: () => {
      clearInterval(timer);
      region.clear();
    },
  };
}
