import { isJsonObject } from "../../reference/behaviour/submission.ts";
import type { Fault } from "../../reference/faults.ts";
import { fault } from "./builders/compose.ts";
import { also, type Change, override, result } from "./builders/member.ts";
import { reading } from "./builders/parsing.ts";

/** Bugs that accept what only a more lenient reader knows: of JSON, of numbers, of names, of URLs and of keys. */
export const lenienceFaults: readonly Fault[] = [
  fault("lenience/comma-too-many-in-an-array", ["SUBM-03"], {
    describe: "The parser takes a comma after the last element of an array.",
    change: reading((text) => text.replaceAll(/,\s*\]/g, "]")),
  }),
  fault("lenience/numbers-may-begin-with-0", ["SUBM-03"], {
    describe: "The parser reads numbers that begin with 0.",
    change: reading((text) => text.replaceAll(/:0+(?=\d)/g, ":")),
  }),
  fault("lenience/any-character-may-be-escaped", ["SUBM-03"], {
    describe: "The parser reads a backslash before any character.",
    change: reading((text) => text.replaceAll(/\\(?=[^"\\/bfnrtu])/g, "")),
  }),
  fault("lenience/words-of-python-are-read", ["SUBM-03"], {
    describe: "The parser knows True, False and None.",
    change: reading((text) =>
      text.replaceAll("True", "true").replaceAll("False", "false").replaceAll("None", "null"),
    ),
  }),
  fault("lenience/input-of-a-prototype", ["SUBM-01"], {
    describe: "An input is found in what the body gives for a prototype.",
    change: orInput((body) => {
      const prototype = Object.hasOwn(body, "__proto__") ? body["__proto__"] : undefined;
      return isJsonObject(prototype) ? prototype["input"] : undefined;
    }),
  }),
  fault("lenience/input-by-other-names", ["SUBM-01"], {
    describe: "A member named inputs, data or args is taken for the input.",
    change: orInput((body) => body["inputs"] ?? body["data"] ?? body["args"]),
  }),
  fault("lenience/input-by-its-parts", ["SUBM-01"], {
    describe: "Members with names such as input.op are taken for parts of an input.",
    change: orInput((body) => ("input.op" in body ? { op: body["input.op"] } : undefined)),
  }),
  fault("lenience/webhook-begins-with-http", ["SUBM-06"], {
    describe: "Any text that begins with http is accepted as a webhook.",
    change: also(
      "submission.acceptsWebhook",
      (value) => typeof value === "string" && value.startsWith("http"),
    ),
  }),
  fault("lenience/key-ends-at-a-comma", ["AUTH-02"], {
    describe: "Only what stands before the first comma of a key is compared.",
    change: result("authentication.keyOf", (key) => key?.split(",")[0]),
  }),
  fault("lenience/key-in-quotes", ["AUTH-02"], {
    describe: "Quotes around a key are left out.",
    change: result("authentication.keyOf", (key) => key?.replaceAll(/^"|"$/g, "")),
  }),
  fault("lenience/form-is-read", ["SUBM-03"], {
    describe: "A form whose field named input is JSON is taken for a submission.",
    change: reading((text) => `{"input":${new URLSearchParams(text).get("input") ?? ""}}`),
  }),
  fault("lenience/job-found-by-the-beginning-of-its-id", ["STAT-09"], {
    describe: "The beginning of a job's id is taken for the whole of it.",
    change: findingJobs((given, id) => id.startsWith(given)),
  }),
  fault("lenience/job-found-by-a-pattern", ["STAT-09"], {
    describe: "A percent sign in a job's id stands for anything, as in a query of SQL.",
    change: findingJobs((given, id) => {
      const [start = "", ...rest] = given.split("%");
      return rest.length > 0 && id.startsWith(start);
    }),
  }),
  fault("lenience/job-ids-have-36-characters", ["STAT-09"], {
    describe: "Job ids are compared by their first 36 characters.",
    change: findingJobs((given, id) => given.length > 36 && id.slice(0, 36) === given.slice(0, 36)),
  }),
];

/** Takes the input from elsewhere in the body where it has none. */
function orInput(other: (body: Readonly<Record<string, unknown>>) => unknown): Change {
  return override("submission.inputOf", (inputOf) => (body, operation) => {
    return inputOf(body, operation) ?? inputOf({ input: body["input"] ?? other(body) }, operation);
  });
}

/** Takes an id that is unknown for that of a job for which `isMeant` holds. */
function findingJobs(isMeant: (given: string, id: string) => boolean): Change {
  return override("operations.jobIdOf", (jobIdOf) => (given, known) => {
    const ids = [...known];
    if (ids.includes(given)) return given;
    return ids.find((id) => isMeant(given, id)) ?? jobIdOf(given, ids);
  });
}
