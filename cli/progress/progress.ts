import { createColors } from "picocolors";
import type { RequirementResult } from "../../harness/judge.ts";
import type { RunEvent } from "../../harness/run.ts";
import { colourAllowed } from "../io.ts";
import type { Io } from "../io.ts";
import { formatDuration } from "../settings/duration.ts";
import type { LoadCounts } from "../load-watch.ts";
import { LoadLine } from "./load-line.ts";
import { fit, leftText, liveLines } from "./live-lines.ts";
import { LiveRegion } from "./live-region.ts";
import { oneLine } from "./one-line.ts";
import { RunFollower } from "./run-state.ts";

/** Shows a run while it goes on. */
export interface Progress {
  readonly onEvent: (event: RunEvent) => void;
  /** From now on load is sent, and counted in here. */
  readonly onLoad: (counts: Readonly<LoadCounts>) => void;
  /** Makes room for what somebody else is about to write. */
  readonly clear: () => void;
  /** Removes what is only of the moment from the screen. */
  readonly stop: () => void;
}

/** Live on a terminal that can write over a line; a line for each check elsewhere, and in CI. */
export function createProgress(io: Io): Progress {
  const { TERM: kind, CI: ci = "" } = io.environment;
  const canLive = io.terminal && kind !== "dumb" && (ci === "" || ci === "false");
  return canLive ? liveProgress(io) : plainProgress(io);
}

/** A shorter wait is over before it would have been worth a line of a log. */
const plainWaitMsMin = 10_000;

function plainProgress(io: Io): Progress {
  const follower = new RunFollower();
  return {
    onEvent: (event) => {
      follower.follow(event, Date.now());
      if (event.type === "planned")
        io.write(`${event.checks} check${event.checks === 1 ? "" : "s"}\n`);
      if (event.type === "waiting") {
        const leftMs = event.untilMs - Date.now();
        if (leftMs < plainWaitMsMin) return;
        const covers = follower.state.running.get(event.check)?.covers.join(", ") ?? "";
        const until = new Date(event.untilMs).toISOString().slice(11, 19);
        io.write(
          `waiting       ${covers}  ${event.check}  until ${until} UTC (${leftText(leftMs)})\n`,
        );
      }
      if (event.type === "finished") io.write(`${resultLine(event.result)}\n`);
    },
    onLoad: () => undefined,
    clear: () => undefined,
    stop: () => undefined,
  };
}

function resultLine({ verdict, name, covers, durationMs, reason }: RequirementResult): string {
  const tail = verdict === "pass" ? formatDuration(Math.max(durationMs, 1)) : (reason ?? "");
  return `${verdict.padEnd(12)}  ${covers.join(", ")}  ${name}  ${oneLine(tail)}`.trimEnd();
}

const redrawMs = 100;

/** Some lines that are written over: counts, what waits, what runs; what fails is said above them. */
function liveProgress(io: Io): Progress {
  const colours = createColors(colourAllowed(io));
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
