import type { RunCommand } from "./settings/contract.ts";
import type { Io } from "./io.ts";
import type { ScenarioChoice } from "./load-scenarios.ts";
import {
  clientOptions,
  trendOptions,
  workerOptions,
  compareOptions,
  configSettings,
  contractOptions,
  loadOptions,
  proxyOptions,
  replayOptions,
  reportOptions,
  serveOptions,
  trafficOptions,
} from "./settings/command-options.ts";
import type { SettingName } from "./settings/options.ts";
import type { GivenFlags } from "./settings/sources.ts";

/** The input of a command: what was typed, and the world it may touch. */
export interface CommandCall extends GivenFlags {
  readonly operands: readonly string[];
  readonly io: Io;
}

export interface CommandRow {
  readonly usage: string;
  readonly description: string;
  readonly options: readonly SettingName[];
  /** Imports what the command needs only when it is called, so that help does not wait for the checks. */
  readonly run: (call: CommandCall) => Promise<number>;
}

/** Every command there is. */
export const commandRows: readonly CommandRow[] = [
  {
    usage: "contract",
    description: "check a target, or the embedded reference, against every requirement",
    options: contractOptions,
    run: (call) => runChecks("contract", call),
  },
  {
    usage: "load [scenarios...]",
    description: "decide the rate limits and concurrency caps, or run the scenarios that are named",
    options: loadOptions,
    run: (call) => runChecks("load", call),
  },
  {
    usage: "run",
    description: "contract and load together, in one report",
    options: loadOptions,
    run: (call) => runChecks("run", call),
  },
  {
    usage: "serve",
    description: "run the embedded reference as a server, until it is stopped",
    options: serveOptions,
    run: async ({ flags, config, io }) => {
      const { serve } = await import("./commands/serve.ts");
      const { serveSettings } = await import("./settings/serve.ts");
      return serve(serveSettings(flags, config, io), io);
    },
  },
  {
    usage: "proxy [command...]",
    description: "stand between somebody's client and a server, and judge what passes",
    options: proxyOptions,
    run: async ({ operands, flags, config, io }) => {
      const { proxy } = await import("./commands/proxy.ts");
      const { proxySettings } = await import("./settings/traffic.ts");
      return proxy(proxySettings(operands, { flags, config }, io), io);
    },
  },
  {
    usage: "traffic <files...>",
    description: "judge recorded traffic: HAR files, or what proxy recorded",
    options: trafficOptions,
    run: async ({ operands, flags, config, io }) => {
      const { traffic } = await import("./commands/traffic.ts");
      const { trafficSettings } = await import("./settings/traffic.ts");
      return traffic(operands, trafficSettings({ flags, config }, io), io);
    },
  },
  {
    usage: "client [command...]",
    description: "judge a client program (after --), or a receiver of webhooks",
    options: clientOptions,
    run: async ({ operands, flags, config, io }) => {
      const { client } = await import("./commands/client.ts");
      const { clientSettings } = await import("./settings/client.ts");
      return client(clientSettings(operands, { flags, config }, io), io);
    },
  },
  {
    usage: "worker [command...]",
    description: "judge a worker (after --): what the queue makes of its jobs",
    options: workerOptions,
    run: async ({ operands, flags, config, io }) => {
      const { worker } = await import("./commands/worker.ts");
      const { workerSettings } = await import("./settings/worker.ts");
      return worker(workerSettings(operands, { flags, config }, io), io);
    },
  },
  {
    usage: "report <files...>",
    description: "write report.json files in the other formats; two or more are merged",
    options: reportOptions,
    run: async ({ operands, flags, config, io }) => {
      const { report } = await import("./commands/report.ts");
      const { reportSettings } = await import("./settings/report.ts");
      return report(reportSettings(operands, { flags, config }, io), io);
    },
  },
  {
    usage: "compare <old> <new>",
    description: "what changed between two report.json files; exit 1 on a regression",
    options: compareOptions,
    run: async ({ operands: [old = "", next = ""], flags, config, io }) => {
      const { compare } = await import("./commands/compare.ts");
      const { compareSettings } = await import("./settings/report.ts");
      return compare(old, next, compareSettings({ flags, config }, io), io);
    },
  },
  {
    usage: "trend <folder>",
    description: "one page over many reports: what broke, since when, and how figures went",
    options: trendOptions,
    run: async ({ operands: [folder = ""], flags, config, io }) => {
      const { trend } = await import("./commands/trend.ts");
      const { trendSettings } = await import("./settings/report.ts");
      return trend(trendSettings(folder, { flags, config }, io), io);
    },
  },
  {
    usage: "replay <file> <id> [command...]",
    description: "run again what failed in a report.json, with its seed and its target",
    options: replayOptions,
    run: async ({ operands: [file = "", id = "", ...command], flags, config, io }) => {
      const { replay } = await import("./commands/replay.ts");
      return replay({ file, id, command, given: { flags, config } }, io);
    },
  },
  {
    usage: "verify <file>",
    description: "whether a report.json is whole and untouched: recomputes it from its evidence",
    options: ["json"],
    run: async ({ operands: [file = ""], flags, config, io }) => {
      const { verify } = await import("./commands/verify.ts");
      const { resolveSettings } = await import("./settings/resolve.ts");
      const { json = false } = resolveSettings({ settings: ["json"], flags, config }, io);
      return verify(file, json, io);
    },
  },
  {
    usage: "init",
    description: "write a commented config file, from options or from answers on a terminal",
    options: [...configSettings, "force"],
    run: async ({ flags, config, io }) =>
      (await import("./commands/init.ts")).init(flags, config, io),
  },
  {
    usage: "completion <shell>",
    description: "print what makes bash, zsh or fish complete the words of this program",
    options: [],
    run: async ({ operands: [shell = ""], io }) =>
      (await import("./commands/completion.ts")).completion(shell, io),
  },
  {
    usage: "list",
    description: "requirements, checks and load scenarios, with what each needs",
    options: ["json", "scenarios", "catalogue"],
    run: async ({ flags, config, io }) => {
      const { list } = await import("./commands/list.ts");
      const { resolveSettings } = await import("./settings/resolve.ts");
      const settings = ["json", "scenarios", "catalogue"] as const;
      return list(resolveSettings({ settings, flags, config }, io), io);
    },
  },
  {
    usage: "explain <id>",
    description: "one requirement: its sentence, its checks, what a failure means",
    options: [],
    run: async ({ operands: [id = ""], io }) =>
      (await import("./commands/explain.ts")).explain(id, io),
  },
  {
    usage: "k6 <action>",
    description: "`path` prints where k6 is, `install` builds one into the project's cache",
    options: [],
    run: async ({ operands: [action = ""], io }) =>
      (await import("./commands/k6.ts")).k6(action, io),
  },
];

async function runChecks(
  command: RunCommand,
  { flags, config, operands, io }: CommandCall,
): Promise<number> {
  const { namesNoTarget } = await import("./settings/sources.ts");
  if (namesNoTarget(flags, config, io)) {
    const { loadReferenceAhead } = await import("./embedded-reference.ts");
    loadReferenceAhead();
  }
  const { contractSettings } = await import("./settings/contract.ts");
  const settings = contractSettings(flags, config, io, await scenariosIn(operands));
  const { isShared } = await import("./settings/sharing.ts");
  if (isShared(settings.sharing)) {
    const { refuseUnshareable } = await import("./sharing-refusals.ts");
    refuseUnshareable(settings, command);
  }
  if (settings.sharing.distributed !== undefined && settings.dryRun === undefined) {
    const { distribute } = await import("./commands/load-distributed.ts");
    return distribute(settings, io);
  }
  if (settings.dryRun !== undefined) {
    const { dryRun } = await import("./commands/dry-run.ts");
    return dryRun(settings, io, command);
  }
  if (settings.watch) {
    const { watchRuns } = await import("./watch.ts");
    return watchRuns(settings, io, command);
  }
  const { runOnce } = await import("./commands/contract.ts");
  return (await runOnce(settings, { io, command })).exitCode;
}

async function scenariosIn(names: readonly string[]): Promise<ScenarioChoice | undefined> {
  if (names.length === 0) return undefined;
  const { scenariosNamed } = await import("./load-scenarios.ts");
  return scenariosNamed(names);
}
