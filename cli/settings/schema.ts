import { Type } from "typebox";
import type { Static, TArray, TBoolean, TInteger, TSchema, TString } from "typebox";
import { capabilities } from "../../openapi/index.ts";
// Not from the index: reading settings must not wait for the writers.
import { reportFormats } from "../../reports/report-formats.ts";
import {
  budgetPattern,
  durationPattern,
  latencyPattern,
  positiveDurationPattern,
} from "./duration.ts";

/** What can run a load test on several machines. */
const distributions = ["k8s"] as const;

const segmentPattern = "^[0-9]{1,3}/[0-9]{1,3}$";
const momentPattern =
  "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,3})?)?(Z|[+-]\\d{2}:\\d{2})$";

/** Stands beside JSON Schema: what a person is told that belongs here, and whether it is secret. */
type Wording = { readonly expects: string; readonly secret?: boolean };

const aDuration = "a duration such as 500ms, 30s, 2m or 1h";
const aSelection = "a requirement id or a glob such as RATE-*";

// One declaration: the type, the validation of every source, and the words of every refusal.
export const settingsSchema = Type.Partial(
  Type.Object({
    baseUrl: url(),
    endpoint: text({ expects: "an endpoint id" }),
    apiKey: text({ expects: "an API key", secret: true }),
    foreignKey: text({ expects: "an API key without permission for the endpoint", secret: true }),
    control: url(),
    capability: list(Type.Enum([...capabilities], wordsOf(capabilities))),
    webhookUrl: url(),
    webhookPort: integer(1, 65_535),
    waitForTarget: text({ pattern: durationPattern, expects: aDuration }),
    timeout: text({
      pattern: positiveDurationPattern,
      expects: "a duration of more than 0, such as 500ms, 30s or 2m",
    }),
    timeBudget: text({ pattern: budgetPattern, expects: `${aDuration}, or full` }),
    only: list(text({ expects: aSelection })),
    skip: list(text({ expects: aSelection })),
    require: list(text({ expects: aSelection })),
    allowInconclusive: list(text({ expects: aSelection })),
    baseline: text({ expects: "the path of a baseline file" }),
    baselineUpdate: flag(),
    seed: integer(0, 4_294_967_295),
    report: text({ expects: "the path of a directory" }),
    format: list(Type.Enum([...reportFormats], wordsOf(reportFormats))),
    port: integer(0, 65_535),
    host: text({ expects: "a host name or address to listen on" }),
    real: flag(),
    noControl: flag(),
    dialect: text({ expects: "the name of a dialect or the path of its file" }),
    fault: list(text({ expects: "the name of a fault of the reference" })),
    listFaults: flag(),
    workers: text({
      pattern: String.raw`^\d{1,6}(?:-\d{1,6})?$`,
      expects: "a number of workers such as 3, or a range to scale in such as 0-5",
    }),
    allowance: integer(0, 1_000_000_000),
    endpoints: text({ expects: "the path of a file of endpoints" }),
    speed: integer(1, 100_000),
    latency: text({
      pattern: latencyPattern,
      expects: "a duration such as 50ms, or a range such as 20ms-200ms",
    }),
    failRate: text({
      pattern: String.raw`^(?:0?\.\d{1,6}|0|1|\d{1,3}(?:\.\d{1,3})?%)$`,
      expects: "a share such as 5% or 0.05",
    }),
    worker: Type.Enum(["built-in", "external"], wordsOf(["built-in", "external"])),
    workerSilence: text({
      pattern: positiveDurationPattern,
      expects: "a duration of more than 0, such as 5s or 40s",
    }),
    state: text({ expects: "the path of a file" }),
    stopWithin: text({ pattern: durationPattern, expects: aDuration }),
    json: flag(),
    dryRun: flag(),
    yes: flag(),
    duration: text({ pattern: positiveDurationPattern, expects: aDuration }),
    scale: text({
      pattern: String.raw`^(?=.*[1-9])(?:0?\.\d{1,6}|\d{1,2}(?:\.\d{1,6})?)$`,
      expects: "a factor such as 0.1 or 2",
    }),
    scenarios: flag(),
    timeLimit: text({ pattern: positiveDurationPattern, expects: aDuration }),
    segment: text({ pattern: segmentPattern, expects: "which of how many runners, such as 1/3" }),
    startAt: text({ pattern: momentPattern, expects: "a moment such as 2026-01-31T12:00:00Z" }),
    distributed: Type.Enum([...distributions], wordsOf(distributions)),
    runners: integer(1, 100),
    force: flag(),
    watch: flag(),
  }),
  { additionalProperties: false },
);

/** The settings as their sources write them, each one optional. */
export type SettingValues = Static<typeof settingsSchema>;
export type SettingName = keyof SettingValues;

type TextRules = Wording & { readonly pattern?: string };

function text(rules: TextRules): TString {
  return Type.String({ minLength: 1, ...rules });
}

function url(): TString {
  return text({
    pattern: "^https?://[^/?#\\s@]+(?:/[^?#\\s]*)?$",
    expects: "an http or https URL",
  });
}

function integer(minimum: number, maximum: number): TInteger {
  const expects = `an integer from ${minimum} to ${maximum}`;
  return Type.Integer({ minimum, maximum, expects });
}

function flag(): TBoolean {
  return Type.Boolean({ expects: "true or false" });
}

function list<Item extends TSchema>(items: Item): TArray<Item> {
  return Type.Array(items, { minItems: 1, expects: "a list of one or more" });
}

function wordsOf(names: readonly string[]): Wording {
  return { expects: names.length === 1 ? `${names[0]}` : `one of ${names.join(", ")}` };
}
