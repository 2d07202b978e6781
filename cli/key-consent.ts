import { CommandError } from "./errors.ts";
import type { Io } from "./io.ts";
import type { ContractCommandSettings } from "./settings/contract.ts";
import type { GivenFlags } from "./settings/replay.ts";
import { resolveSettings } from "./settings/resolve.ts";

/**
 * Sends no key to an address that only a report names, for whoever wrote the report may have chosen it. A key from the
 * environment or the config file is meant for the address that stands beside it there; for another one the key or the
 * address has to be typed, or somebody at the terminal agrees.
 * @throws CommandError WRONG_USAGE
 */
export async function demandKeyConsent(
  { target }: Pick<ContractCommandSettings, "target">,
  { file, given }: { readonly file: string; readonly given: GivenFlags },
  io: Io,
): Promise<void> {
  const { flags, config } = given;
  if (target === undefined || flags.baseUrl !== undefined) return;
  const isSentUntyped =
    (target.apiKey !== undefined && flags.apiKey === undefined) ||
    (target.foreignKey !== undefined && flags.foreignKey === undefined);
  if (!isSentUntyped) return;
  const beside = resolveSettings({ settings: ["baseUrl"], flags: {}, config }, io).baseUrl;
  if (beside?.replace(/\/+$/, "") === target.baseUrl) return;

  const where =
    beside === undefined ? "no address stands beside your key" : `your key belongs to ${beside}`;
  const why = `${file} names ${target.baseUrl}, and ${where}`;
  if (io.input === undefined) {
    throw new CommandError("WRONG_USAGE", `${why}.`, {
      hint: `Give --base-url ${target.baseUrl} if your key may be sent there.`,
    });
  }
  const answer = await io.input.ask(`${why}. Send it there? [y/N] `);
  if (/^y(es)?$/i.test(answer)) return;
  throw new CommandError("WRONG_USAGE", "nothing was sent: the address was not agreed to");
}
