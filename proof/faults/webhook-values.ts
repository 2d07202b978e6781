import { isJsonObject } from "../../reference/behaviour/submission.ts";
import type { Fault } from "../../reference/faults.ts";
import { inCall } from "./builders/answers.ts";
import { inBody, inTexts } from "./builders/carried.ts";
import { fault } from "./builders/compose.ts";
import { isRunsync } from "./builders/jobs.ts";
import { inUtc, mapValue, ofMembers } from "./builders/json-values.ts";
import { type Change, replace, result } from "./builders/member.ts";

/** Bugs in what a webhook's URL and its body lose on their way to the receiver. */
export const webhookValueFaults: readonly Fault[] = [
  fault("webhook/url-keeps-one-of-each-name", ["HOOK-01"], {
    describe: "Of parameters of the URL with the same name the last is called.",
    change: inQuery((pairs) => {
      const byName = new Map(pairs.map((pair) => [pair.split("=")[0] ?? "", pair]));
      return [...byName.values()];
    }),
  }),
  fault("webhook/url-gives-each-name-a-value", ["HOOK-01"], {
    describe: "A parameter of the URL without = gets one.",
    change: inQuery((pairs) => pairs.map((pair) => (pair.includes("=") ? pair : `${pair}=`))),
  }),
  fault("webhook/url-has-space-for-plus", ["HOOK-01"], {
    describe: "A + in the query of the URL becomes %20.",
    change: result("webhook.url", (url) => url?.replaceAll("+", "%20")),
  }),
  fault("webhook/url-loses-its-last-slash", ["HOOK-01"], {
    describe: "The URL is called without the slash at its end.",
    change: result("webhook.url", (url) => url?.replace(/\/$/, "")),
  }),
  fault("webhook/url-path-loses-its-last-slash", ["HOOK-01"], {
    describe: "The path of the URL is called without the slash at its end.",
    change: result("webhook.url", (url) => url?.replace(/\/(?=\?|$)/, "")),
  }),
  fault("webhook/url-path-is-encoded-twice", ["HOOK-01"], {
    describe: "What the path of the URL encodes is encoded once more.",
    change: result("webhook.url", (url) => {
      if (url === undefined) return url;
      const [path = "", ...query] = url.split("?");
      return [path.replaceAll("%", "%25"), ...query].join("?");
    }),
  }),
  fault("webhook/body-has-single-precision", ["HOOK-02"], {
    describe: "Numbers of the output have the precision of 32 bits in the call.",
    change: inBody((value) => (typeof value === "number" ? Math.fround(value) : value)),
  }),
  fault("webhook/body-has-six-digits", ["HOOK-02"], {
    describe: "Numbers that are no integers have six digits in the call.",
    change: inBody((value) =>
      typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value,
    ),
  }),
  fault("webhook/body-has-line-feeds", ["HOOK-02"], {
    describe: "The call brings a line feed for each carriage return and line feed.",
    change: inTexts((text) => text.replaceAll("\r\n", "\n")),
  }),
  fault("webhook/body-is-trimmed", ["HOOK-02"], {
    describe: "The call brings the texts of the output without the spaces at their ends.",
    change: inTexts((text) => text.trim()),
  }),
  fault("webhook/body-is-normalised", ["HOOK-02"], {
    describe: "The call brings combined characters as one.",
    change: inTexts((text) => text.normalize("NFC")),
  }),
  fault("webhook/body-reads-dates", ["HOOK-02"], {
    describe: "What looks like a date comes in UTC in the call.",
    change: inTexts(inUtc),
  }),
  fault("webhook/body-has-snake-case", ["HOOK-02"], {
    describe: "The names inside the output are written with underscores in the call.",
    change: inNames((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
  }),
  fault("webhook/body-has-camel-case", ["HOOK-02"], {
    describe: "The names inside the output are written in camel case in the call.",
    change: inNames((name) =>
      name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    ),
  }),
  fault("webhook/body-has-no-dots-in-names", ["HOOK-02"], {
    describe: "A dot in a name inside the output is an underscore in the call.",
    change: inNames((name) => name.replaceAll(".", "_")),
  }),
  fault("webhook/body-has-100-elements", ["HOOK-02"], {
    describe: "An array of the output has 100 elements at most in the call.",
    change: inBody((value) => (Array.isArray(value) ? value.slice(0, 100) : value)),
  }),
  fault("webhook/body-has-100-members", ["HOOK-02"], {
    describe: "An object of the output has 100 members at most in the call.",
    change: inBody((value) =>
      isJsonObject(value) ? Object.fromEntries(Object.entries(value).slice(0, 100)) : value,
    ),
  }),
  fault("webhook/body-without-an-empty-output", ["HOOK-02"], {
    describe: "The call leaves out an output that is an empty array.",
    change: replace("webhook.body", ({ output, ...rest }) =>
      Array.isArray(output) && output.length === 0 ? rest : { ...rest, output },
    ),
  }),
  fault("webhook/repeated-body-of-runsync-has-no-output", ["HOOK-02"], {
    describe: "A repeated call for a runsync job brings no output.",
    change: inCall({ output: null }, (job, attempt) => attempt > 1 && isRunsync(job)),
  }),
  fault("webhook/url-ends-at-an-encoded-hash", ["HOOK-01"], {
    describe: "The URL is called without what follows %23 in it.",
    change: result("webhook.url", (url) => url?.replace(/%23.*$/, "")),
  }),
  fault("webhook/url-path-decodes-question-marks", ["HOOK-01"], {
    describe:
      "An encoded ? in the path of the URL becomes a question mark, which begins the query.",
    change: result("webhook.url", (url) => url?.replace(/^([^?]*?)%3F/i, "$1?")),
  }),
];

/** Changes the parameters of the URL, each as name=value. */
function inQuery(change: (pairs: readonly string[]) => readonly string[]): Change {
  return result("webhook.url", (url) => {
    const [path = "", query] = url?.split("?") ?? [];
    if (query === undefined) return url;
    return `${path}?${change(query.split("&")).join("&")}`;
  });
}

/** Changes the names inside the output, and none of the record. */
function inNames(change: (name: string) => string): Change {
  const renamed = ofMembers((name, member) => [change(name), member]);
  return result("webhook.body", (body, record) =>
    isJsonObject(body)
      ? { ...body, output: mapValue(record["output"], { change: renamed }) }
      : body,
  );
}
