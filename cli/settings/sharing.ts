import { parseSegment } from "../../load/k6/segment.ts";
import type { Segment } from "../../load/k6/segment.ts";
import type { SettingValues } from "./options.ts";

/** How a load test is divided among several machines. */
export interface Sharing {
  /** Which of how many runners this is; absent where there is only one. */
  readonly segment: Segment | undefined;
  /** When all runners start, in milliseconds since the epoch. */
  readonly startAtMs: number | undefined;
  /** The system that is to run it; then the command only writes what that system needs. */
  readonly distributed: "k8s" | undefined;
  readonly runners: number;
}

/** Whether several runners are to send the load together. */
export function isShared({ segment, distributed }: Sharing): boolean {
  return segment !== undefined || distributed !== undefined;
}

const runnersByDefault = 2;

export function sharingOf(values: SettingValues): Sharing {
  const { segment, startAt, distributed, runners = runnersByDefault } = values;
  return {
    segment: segment === undefined ? undefined : parseSegment(segment),
    startAtMs: startAt === undefined ? undefined : Date.parse(startAt),
    distributed,
    runners,
  };
}

/** Finds what is wrong with the settings of sharing, by themselves and together. */
export function sharingProblems(values: SettingValues): readonly string[] {
  const { segment, startAt, distributed, runners, baseUrl, endpoint } = values;
  const { header, ca, cert, certKey, proxy } = values;
  const isReachedByMore = [header, ca, cert, certKey, proxy].some((each) => each !== undefined);
  const isSegment = segment !== undefined;
  const isDistributed = distributed !== undefined;
  const option = isDistributed ? "--distributed" : "--segment";
  const isHomeless = baseUrl === undefined || endpoint === undefined;
  const rules: readonly (readonly [boolean, string])[] = [
    [
      isSegment && parseSegment(segment) === undefined,
      `--segment must be one of the runners, such as 1/3, got ${segment}`,
    ],
    [
      startAt !== undefined && Number.isNaN(Date.parse(startAt)),
      `--start-at is no moment: ${startAt}`,
    ],
    [
      (isSegment || isDistributed) && isHomeless,
      `${option} needs --base-url and --endpoint: all runners send to the same one`,
    ],
    [
      isSegment && isDistributed,
      "--segment and --distributed exclude each other: the operator makes the segments",
    ],
    [
      isDistributed && isReachedByMore,
      "--distributed writes no --header, --ca, --cert or --proxy: it would stand in the open; start runners with --segment",
    ],
    [startAt !== undefined && !isSegment, "--start-at needs --segment"],
    [
      runners !== undefined && !isDistributed,
      "--runners needs --distributed; one of several runners is --segment",
    ],
  ];
  return rules.filter(([isSo]) => isSo).map(([, problem]) => problem);
}
