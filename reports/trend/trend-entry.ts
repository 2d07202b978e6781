import { Ajv2020 } from "ajv/dist/2020.js";
import type { ValidateFunction } from "ajv/dist/2020.js";
import { Type } from "typebox";
import type { Static } from "typebox";
import { parseFile } from "../../openapi/depth.ts";
import type { Frozen } from "../model.ts";
import { verdicts } from "../verdict.ts";

/** What a trend looks at of a report. The rest is neither read nor checked: a folder may hold hundreds of them. */
const entrySchema = Type.Object({
  schema: Type.Literal("queueproof-report/1"),
  command: Type.String(),
  startedAt: Type.String(),
  durationMs: Type.Number(),
  interrupted: Type.Optional(Type.Literal(true)),
  target: Type.Object({ baseUrl: Type.String(), embedded: Type.Optional(Type.Literal(true)) }),
  profiles: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String(),
        verdict: Type.Enum(["conformant", "broken", "partly", "untested"]),
      }),
    ),
  ),
  requirements: Type.Array(
    Type.Object({ id: Type.String(), text: Type.String(), verdict: Type.Enum([...verdicts]) }),
  ),
  load: Type.Array(
    Type.Object({
      scenario: Type.String(),
      engine: Type.String(),
      series: Type.Optional(
        Type.Array(
          Type.Object({
            name: Type.String(),
            latency: Type.Optional(
              Type.Object({ p50Ms: Type.Number(), p90Ms: Type.Number(), p99Ms: Type.Number() }),
            ),
          }),
        ),
      ),
    }),
  ),
  worker: Type.Optional(
    Type.Object({
      coldStartMs: Type.Number(),
      tests: Type.Array(
        Type.Object({
          name: Type.String(),
          laterMs: Type.Union([Type.Number(), Type.Null()]),
        }),
      ),
    }),
  ),
});

type ReadReport = Frozen<Static<typeof entrySchema>>;

/** One report of a trend. */
export interface TrendEntry extends ReadReport {
  /** Its file, relative to where the trend is written. */
  readonly file: string;
}

let validator: ValidateFunction<ReadReport> | undefined;

/** Reads what a trend needs of a report; undefined where the text is none. */
export function trendEntryOf(text: string, file: string): TrendEntry | undefined {
  let value: unknown;
  try {
    value = parseFile(text);
  } catch {
    return undefined;
  }
  validator ??= new Ajv2020().compile<ReadReport>(entrySchema);
  if (!validator(value) || Number.isNaN(Date.parse(value.startedAt))) return undefined;
  return { ...value, file };
}

/** What reports have in common that belong to one trend: the target, whatever port of this machine it listened on. */
export function subjectOf({ command, target: { baseUrl, embedded } }: TrendEntry): string {
  if (embedded === true) return "the embedded reference";
  const judged = ["client", "worker"].includes(command) ? "" : baseUrl;
  const [, origin] = /^(https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])):\d+/.exec(judged) ?? [];
  return origin ?? baseUrl;
}
