import { expect, test } from "vitest";

import { fakeIo } from "../../test/cli/fake-io.ts";
import { contractSettings } from "./contract.ts";
import type { Flags } from "./sources.ts";

const url = "http://127.0.0.1:8080";
const nothing = { variables: [], options: [] };

test.each<[string, Flags, Readonly<Record<string, string>>, object]>([
  ["the reference", { reference: true }, {}, nothing],
  ["a target with a control protocol", { control: `${url}/__control` }, {}, nothing],
  [
    "a typed key",
    { baseUrl: url, endpoint: ["e"], apiKey: "secret-key-1" },
    {},
    { variables: ["QUEUEPROOF_API_KEY=KEY"], options: ["--base-url", url] },
  ],
  [
    "a key of the environment for a typed address",
    { baseUrl: url, endpoint: ["e"] },
    { QUEUEPROOF_API_KEY: "secret-key-1" },
    { variables: [], options: ["--base-url", url] },
  ],
  [
    "a key and an address of the environment",
    { endpoint: ["e"] },
    { QUEUEPROOF_API_KEY: "secret-key-1", QUEUEPROOF_BASE_URL: url },
    nothing,
  ],
  [
    "a typed header and what else no report holds",
    { baseUrl: url, endpoint: ["e"], header: ["X-Team: secret-header"], noDiscovery: true },
    { QUEUEPROOF_API_KEY: "secret-key-1" },
    { variables: ["QUEUEPROOF_HEADER=HEADER"], options: ["--base-url", url, "--no-discovery"] },
  ],
])("a repeat line tells what the report lacks: %s", (_, flags, environment, expected) => {
  expect(contractSettings(flags, undefined, fakeIo({ environment })).repeatWords).toEqual(expected);
});
