import { withoutTrailingSlash } from "../../client/endpoint-address.ts";
import type { Io } from "../io.ts";
import type { SettingValues } from "./options.ts";
import { capabilities } from "../../openapi/capabilities.ts";
import { requirements } from "../../openapi/requirements.ts";

/** Words of sentences, reports and test servers that are in no requirement. */
const others =
  "admin check client demo error example expected fail false found hello invalid letter local none null pass passed " +
  "password private prod public reason right secret sent server test testing token true unauthorized user valid wrong";

let words: ReadonlySet<string> | undefined;

/**
 * Whether a key is a word that reports use: `***` would replace it everywhere and make reports unreadable. A key that
 * is too short to be hidden at all does not count.
 */
function isCommonWord(key: string): boolean {
  words ??= new Set(
    [...Object.values(requirements).map(({ text }) => text), ...capabilities, others]
      .join(" ")
      .toLowerCase()
      .match(/[a-z]{4,}/g),
  );
  return words.has(key.toLowerCase());
}

/** A server that is already running. Without one, the embedded reference is started. */
export interface GivenTarget {
  readonly baseUrl: string;
  readonly controlUrl?: string | undefined;
  readonly endpointId?: string | undefined;
  /** More endpoints of the same kind, so that checks that need one to themselves can run side by side. */
  readonly otherEndpointIds?: readonly string[];
  readonly apiKey?: string | undefined;
  readonly foreignKey?: string | undefined;
}

const controlSuffix = /\/__control\/*$/;

/** Finds settings of the target that are missing or do not fit together. */
export function targetProblems(
  values: SettingValues,
  { environment }: Pick<Io, "environment">,
): readonly string[] {
  const { baseUrl, control, reference } = values;
  if (baseUrl === undefined && control === undefined) {
    const problems = strayProblems(values);
    if (reference === true || problems.length > 0 || environment["CI"] !== "true") return problems;
    return [
      "no target is given, and CI is true: give --base-url, or --reference to test the embedded reference",
    ];
  }
  if (reference === true) {
    const other = baseUrl === undefined ? "--control" : "--base-url";
    return [`--reference and ${other} name two targets: leave one out`];
  }
  const missing = control === undefined ? bareProblems(values) : controlProblems(values);
  return [...versionProblems(values), ...wordProblems(values), ...missing];
}

/** A key that is a common word would be removed from every sentence that holds it. */
function wordProblems({ apiKey, foreignKey }: SettingValues): readonly string[] {
  return Object.entries({ "--api-key": apiKey, "--foreign-key": foreignKey })
    .filter(([, key]) => key !== undefined && isCommonWord(key))
    .map(
      ([option]) =>
        `${option} is a common word, and reports would show *** wherever that word stands: give the endpoint a key that is none`,
    );
}

/** Every path already begins with /v2. */
function versionProblems({ baseUrl = "" }: SettingValues): readonly string[] {
  if (!/\/v2\/*$/.test(baseUrl)) return [];
  return ["--base-url ends in /v2, which every request adds: drop /v2 from --base-url"];
}

/** Finds options that need a target where none is given: the reference must not be tested silently in its place. */
function strayProblems(values: SettingValues): readonly string[] {
  const given = {
    "--endpoint": values.endpoint,
    "--api-key": values.apiKey,
    "--foreign-key": values.foreignKey,
    "--header": values.header,
    "--ca": values.ca,
    "--cert": values.cert,
    "--cert-key": values.certKey,
    "--proxy": values.proxy,
    ...(values.reference !== true && ownServer(values)),
  };
  return Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([option]) => `${option} needs a target: give --base-url too`);
}

/** Settings that are given for a server of one's own, though the embedded reference takes them too. */
function ownServer({ jobs, input, webhookUrl, waitForTarget }: SettingValues): object {
  return {
    "--jobs": jobs,
    "--input": input,
    "--webhook-url": webhookUrl,
    "--wait-for-target": waitForTarget,
  };
}

function bareProblems({ endpoint, apiKey, distributed }: SettingValues): readonly string[] {
  // In a cluster the key comes from an existing secret.
  const key = distributed === undefined ? { "--api-key": apiKey } : {};
  return Object.entries({ "--endpoint": endpoint, ...key })
    .filter(([, value]) => value === undefined)
    .map(([option]) => `${option} is missing: --base-url without --control needs it`);
}

function controlProblems({ baseUrl, control = "", endpoint, apiKey }: SettingValues): string[] {
  const problems: string[] = [];
  if (baseUrl === undefined && !controlSuffix.test(control)) {
    problems.push("--base-url is missing, and --control does not end in /__control to tell it");
  }
  if ((endpoint === undefined) !== (apiKey === undefined)) {
    problems.push("--endpoint and --api-key belong together: with --control give both or neither");
  }
  return problems;
}

/** Returns the server that the settings name; undefined: the embedded reference. */
export function givenTarget(values: SettingValues): GivenTarget | undefined {
  const baseUrl = values.baseUrl ?? values.control?.replace(controlSuffix, "");
  if (baseUrl === undefined) return undefined;
  const [endpointId, ...otherEndpointIds] = new Set(values.endpoint);
  return {
    baseUrl: withoutTrailingSlash(baseUrl),
    controlUrl: values.control === undefined ? undefined : withoutTrailingSlash(values.control),
    endpointId,
    otherEndpointIds,
    apiKey: values.apiKey,
    foreignKey: values.foreignKey,
  };
}
