/** What k6 says of a run that goes on. */
export interface K6Progress {
  /** Iterations that are done: mostly a request each. */
  readonly done: number;
  /** Virtual users that are at work. */
  readonly busy: number;
}

/** The last of the lines k6 writes once a second, where there is one. */
export function readK6Progress(said: string): K6Progress | undefined {
  const lines = said.matchAll(/^running \([^)]*\), (\d+)\/\d+ VUs, (\d+) complete/gm);
  const [, busy, done] = [...lines].at(-1) ?? [];
  return busy === undefined || done === undefined
    ? undefined
    : { busy: Number(busy), done: Number(done) };
}
