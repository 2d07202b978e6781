import type { LoadPoints } from "../../reports/model.ts";

/** One of several processes that share a load test. */
export interface Segment {
  /** From 1 to `of`. */
  readonly index: number;
  readonly of: number;
}

/** Reads a segment such as `1/3`; undefined where the text is none, or its index is out of range. */
export function parseSegment(text: string): Segment | undefined {
  const [index, of] = (/^(\d{1,3})\/(\d{1,3})$/.exec(text)?.slice(1) ?? []).map(Number);
  if (index === undefined || of === undefined || index < 1 || index > of) return undefined;
  return { index, of };
}

/** Where one of the processes leaves the points of its share, below the folder of the report. */
export function pointsOf(name: string, { index, of }: Segment): LoadPoints {
  return { file: `k6/${name}-${index}-of-${of}.points.json.gz`, runner: index, runners: of };
}

/** The arguments that make k6 do its share; the shares of all processes together are the whole. */
export function segmentArguments({ index, of }: Segment): readonly string[] {
  const edges = Array.from({ length: of + 1 }, (_, at) => edge(at, of));
  return [
    `--execution-segment=${edge(index - 1, of)}:${edge(index, of)}`,
    `--execution-segment-sequence=${edges.join(",")}`,
  ];
}

function edge(at: number, of: number): string {
  if (at === 0) return "0";
  return at === of ? "1" : `${at}/${of}`;
}
