import { controlCapabilities } from "../../openapi/index.ts";
import type { RequirementId } from "../../openapi/index.ts";
import type { Report } from "../../reports/index.ts";
import { CommandError } from "../errors.ts";
import type { Io } from "../io.ts";
import { contractSettings } from "./contract.ts";
import type { ContractCommandSettings } from "./contract.ts";
import { environmentNames } from "./options.ts";
import type { SettingName } from "./options.ts";
import type { Flags } from "./sources.ts";

export interface GivenFlags {
  readonly flags: Flags;
  readonly config: string | undefined;
}

export interface ReplaySource {
  readonly id: RequirementId;
  readonly file: string;
  readonly given: GivenFlags;
}

/** What the report says itself must come from nowhere else, unless it is typed. */
const saidByReport = [
  ...(["baseUrl", "endpoint", "control", "capability", "dialect", "seed", "only", "skip"] as const),
  ...([
    "require",
    "allowInconclusive",
    "baseline",
    "baselineUpdate",
    "report",
    "dryRun",
    "json",
    "watch",
  ] as const),
] satisfies readonly SettingName[];

/**
 * The settings that repeat one requirement of a report. Keys come from the options or the
 * environment, since a report holds none.
 * @throws CommandError WRONG_USAGE, naming what is missing or does not fit
 */
export function replaySettings(
  report: Report,
  { id, file, given }: ReplaySource,
  io: Io,
): ContractCommandSettings {
  const { flags } = given;
  const again: Flags = { ...flagsOf(report), only: [id], ...flags };
  const aimed = flags.baseUrl !== undefined || flags.control !== undefined;
  const settings = settingsOrError(again, { file, given }, withoutSaid(report, io));
  if (settings.dialect.name !== (report.dialect ?? "spec") && flags.dialect !== undefined) {
    io.writeError(`warning: ${file} was made with the dialect ${report.dialect ?? "spec"}\n`);
  }
  return {
    ...settings,
    only: [id],
    skip: [],
    require: [],
    allowInconclusive: [],
    baselineFile: undefined,
    baselineUpdate: false,
    dryRun: undefined,
    watch: false,
    ...(report.target.embedded === true && !aimed && { target: undefined }),
  };
}

function settingsOrError(
  flags: Flags,
  { file, given }: Pick<ReplaySource, "file" | "given">,
  io: Io,
): ContractCommandSettings {
  try {
    return contractSettings(flags, given.config, io);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(
      error.code,
      `${file} does not tell all that is needed: ${error.message}`,
      {
        problems: error.problems,
        hint: "A report holds no key and no dialect file: give --api-key or QUEUEPROOF_API_KEY, and --dialect FILE for a dialect of your own.",
        cause: error,
      },
    );
  }
}

function flagsOf({ target, seed, dialect }: Report): Flags {
  const { baseUrl, endpointId, controlUrl, capabilities, embedded } = target;
  const declared = capabilities.filter((name) => !foundOut.has(name));
  const where: Flags =
    embedded === true
      ? {}
      : {
          baseUrl,
          ...(controlUrl !== undefined && { control: controlUrl }),
          ...(endpointId !== "" && { endpoint: endpointId }),
          ...(declared.length > 0 && { capability: declared }),
        };
  return {
    ...where,
    seed: String(seed),
    timeBudget: "full",
    // Not reports/latest: that is often where the report comes from.
    report: "reports/replay",
    ...(dialect !== undefined && { dialect }),
  };
}

/** What only the control protocol, or a key, can offer; with those these are found out again. */
const foundOut: ReadonlySet<string> = new Set([...controlCapabilities, "foreignKey"]);

/** Without the variables of what the report says: one of another run would change the target. */
function withoutSaid({ target }: Report, io: Io): Io {
  const fresh =
    target.embedded === true || (target.controlUrl !== undefined && target.endpointId === "");
  const keys: readonly SettingName[] = fresh ? ["apiKey", "foreignKey"] : [];
  const dropped = new Set([...saidByReport, ...keys].flatMap(environmentNames));
  const environment = Object.fromEntries(
    Object.entries(io.environment).filter(([name]) => !dropped.has(name)),
  );
  return { ...io, environment };
}
