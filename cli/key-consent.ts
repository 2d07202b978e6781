import { withoutTrailingSlash } from "../client/endpoint-address.ts";
import { CommandError } from "./errors.ts";
import type { Io } from "./io.ts";
import type { ContractCommandSettings } from "./settings/contract.ts";
import type { GivenFlags } from "./settings/sources.ts";
import { readSettings, refuseUnusable } from "./settings/resolve.ts";
import { askYesOrNo } from "./terminal-input.ts";

/** The secrets of requests, with the settings that hold them. */
const secretSettings = {
  key: ["apiKey", "foreignKey"],
  header: ["header"],
  certificate: ["cert"],
} as const;
type Secret = keyof typeof secretSettings;

type Secrets = Pick<ContractCommandSettings, "target" | "requests">;

/**
 * Refuses to send a key, header or certificate to an address that only the report names, since whoever wrote the
 * report may have chosen it. A secret from the environment or the config file belongs to the address given there. For
 * any other address, the secret or the address must be typed, or somebody at the terminal must agree.
 * @throws CommandError WRONG_USAGE
 */
export async function demandKeyConsent(
  { target, requests }: Secrets,
  { file, given }: { readonly file: string; readonly given: GivenFlags },
  io: Io,
): Promise<void> {
  const { flags, config } = given;
  if (target === undefined || flags.baseUrl !== undefined) return;
  const what = untypedSecret({ target, requests }, flags);
  if (what === undefined) return;
  const beside = addressBeside(what, config, io);
  if (beside !== undefined && withoutTrailingSlash(beside) === target.baseUrl) return;

  const where =
    beside === undefined
      ? `no address stands beside your ${what}`
      : `your ${what} belongs to ${beside}`;
  const why = `${file} names ${target.baseUrl}, and ${where}`;
  if (io.input === undefined) {
    throw new CommandError("WRONG_USAGE", `${why}.`, {
      hint: `Give --base-url ${target.baseUrl} if your ${what} may be sent there.`,
    });
  }
  if (await askYesOrNo(io.input, `${why}. Send it there?`)) return;
  throw new CommandError("WRONG_USAGE", "nothing was sent: the address was not agreed to");
}

/**
 * The address that stands beside a secret: in a variable, in a config file that was named, or in the one file that holds
 * both. One that was merely found says nothing of where a key of somebody's environment belongs.
 */
function addressBeside(what: Secret, config: string | undefined, io: Io): string | undefined {
  const names = secretSettings[what];
  const settings = ["baseUrl", ...names] as const;
  const read = readSettings({ settings, flags: {}, config }, io);
  refuseUnusable(read.schemaProblems);
  const { values, sources, config: file } = read;
  const isOfFoundFile = sources.get("baseUrl") === "config" && file?.isFound === true;
  const isBeside = !isOfFoundFile || names.some((name) => sources.get(name) === "config");
  return isBeside ? values.baseUrl : undefined;
}

/** Names a secret that would be sent although nobody typed it; undefined where there is none. */
function untypedSecret(
  { target, requests }: Secrets,
  { apiKey, foreignKey, header, cert }: GivenFlags["flags"],
): Secret | undefined {
  const { headers = {}, connection } = requests;
  const secrets: readonly (readonly [Secret, boolean])[] = [
    ["key", target?.apiKey !== undefined && apiKey === undefined],
    ["key", target?.foreignKey !== undefined && foreignKey === undefined],
    ["header", Object.keys(headers).length > 0 && header === undefined],
    ["certificate", connection?.certificate !== undefined && cert === undefined],
  ];
  return secrets.find(([, isUntyped]) => isUntyped)?.[0];
}
