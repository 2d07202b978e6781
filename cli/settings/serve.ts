import { referenceDialects } from "../../reference/index.ts";
import { CommandError } from "../errors.ts";
import type { Io } from "../io.ts";
import { resolveSettings } from "./resolve.ts";
import type { SettingName } from "./schema.ts";
import type { Flags } from "./sources.ts";

/** The options of `serve`, in the order of its help. */
export const serveOptions = [
  ...(["port", "host", "real", "noControl", "dialect", "fault", "json"] as const),
] satisfies readonly SettingName[];

export interface ServeSettings {
  readonly port: number;
  readonly host: string;
  /** Workers of the default endpoint. */
  readonly workers: number;
  readonly control: boolean;
  /** One that the reference speaks. */
  readonly dialect: string;
  readonly fault: string | undefined;
  readonly json: boolean;
}

/**
 * The settings of the server, complete.
 * @throws CommandError WRONG_USAGE with every problem at once.
 */
export function serveSettings(flags: Flags, config: string | undefined, io: Io): ServeSettings {
  const values = resolveSettings({ settings: serveOptions, flags, config }, io);
  const { dialect = "spec" } = values;
  const spoken = referenceDialects.map(({ name }) => name);
  if (!spoken.includes(dialect)) {
    throw new CommandError("WRONG_USAGE", "These settings cannot be used:", {
      problems: [`--dialect: expected ${spoken.join(" or ")}, got ${JSON.stringify(dialect)}`],
      hint: "Give --dialect one that the reference speaks, or leave it out.",
    });
  }
  return Object.freeze({
    port: values.port ?? 0,
    host: values.host ?? "127.0.0.1",
    workers: values.real === true ? 3 : 1,
    control: values.noControl !== true,
    dialect,
    fault: values.fault,
    json: values.json ?? false,
  });
}
