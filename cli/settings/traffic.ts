import { resolve } from "node:path";
import { withoutTrailingSlash } from "../../client/endpoint-address.ts";
import { rulesFor } from "../../client/request-rules.ts";
import type { RequestRules } from "../../client/request-rules.ts";
import type { JudgedByTraffic } from "../../traffic/judged-by-traffic.ts";
import type { Io } from "../io.ts";
import { proxyOptions, trafficOptions } from "./command-options.ts";
import { durationMsIfGiven } from "./duration.ts";
import type { SettingValues } from "./options.ts";
import { requestsOf } from "./requests.ts";
import { readSettings, refuseUnusable } from "./resolve.ts";
import type { ReadSettings } from "./resolve.ts";
import { judgementDemandsOf } from "./report-demands.ts";
import type { JudgementDemands } from "./report-demands.ts";
import { selectionProblemsOf } from "./selection.ts";
import type { GivenFlags } from "./sources.ts";

export interface TrafficSettings extends JudgementDemands {
  readonly judged: readonly [JudgedByTraffic, ...JudgedByTraffic[]];
  readonly isSoleClient: boolean;
  readonly allowance: number | undefined;
}

export interface RecordingSettings extends TrafficSettings {
  /** Where the mix of the traffic is written; undefined: nowhere. */
  readonly mixFile: string | undefined;
}

export interface ProxySettings extends TrafficSettings {
  readonly baseUrl: string;
  readonly rules: RequestRules;
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly caOutFile: string | undefined;
  readonly recordFile: string | undefined;
  readonly recordsBodies: boolean;
  readonly durationMs: number | undefined;
  /** A program that is run with the proxy's address; empty where it runs until it is stopped. */
  readonly command: readonly string[];
}

/**
 * Makes the complete settings of `traffic`.
 * @throws CommandError WRONG_USAGE, naming everything that is wrong.
 */
export function trafficSettings(given: GivenFlags, io: Io): RecordingSettings {
  const read = readTraffic(trafficOptions, given, io);
  refuseUnusable([...read.schemaProblems, ...read.semanticProblems]);
  const { writeMix } = read.values;
  const mixFile = writeMix === undefined ? undefined : resolve(io.workingDirectory, writeMix);
  return { ...judgementOf(read.values, io), mixFile };
}

/**
 * Makes the complete settings of `proxy`.
 * @throws CommandError WRONG_USAGE, naming everything that is wrong.
 */
export function proxySettings(
  command: readonly string[],
  given: GivenFlags,
  io: Io,
): ProxySettings {
  const { values, schemaProblems, semanticProblems } = readTraffic(proxyOptions, given, io);
  const { requests, problems } = requestsOf(values, io);
  const { baseUrl, caOut, tls = false, record } = values;
  refuseUnusable([
    ...schemaProblems,
    ...semanticProblems,
    ...(schemaProblems.length === 0 ? problems : []),
    ...(baseUrl === undefined
      ? ["--base-url is missing: the server that requests are passed on to, without /v2"]
      : []),
    ...(tls !== (caOut !== undefined)
      ? ["--tls and --ca-out belong together: clients have to trust the authority in that file"]
      : []),
  ]);
  const server = withoutTrailingSlash(baseUrl ?? "");
  const path = (file: string | undefined): string | undefined =>
    file === undefined ? undefined : resolve(io.workingDirectory, file);
  return {
    ...judgementOf(values, io),
    baseUrl: server,
    rules: rulesFor({ baseUrl: server, requests: { ...requests, isTraced: false } }),
    host: values.host ?? "127.0.0.1",
    port: values.port ?? 0,
    isTls: tls,
    caOutFile: path(caOut),
    recordFile: path(record),
    recordsBodies: values.recordBodies ?? false,
    durationMs: durationMsIfGiven(values.duration),
    command,
  };
}

/** Whom the sources name decides which requirements can be selected. */
function readTraffic(
  settings: typeof proxyOptions | typeof trafficOptions,
  given: GivenFlags,
  io: Io,
): ReadSettings {
  const { values } = readSettings({ settings, ...given }, io);
  const [judged = "server", ...others] = values.judge ?? [];
  return readSettings({ settings, ...given }, io, (layer, nameOf) =>
    [judged, ...others]
      .map((each) => selectionProblemsOf(each)(layer, nameOf))
      .reduce((one, other) => one.filter((problem) => other.includes(problem))),
  );
}

function judgementOf(values: SettingValues, io: Io): TrafficSettings {
  const [first = "server", ...others] = [...new Set(values.judge)];
  const judged = [first, ...others] as const;
  const { allowance, soleClient = false } = values;
  return { ...judgementDemandsOf(values, judged, io), judged, allowance, isSoleClient: soleClient };
}
