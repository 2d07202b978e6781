import { existsSync } from "node:fs";
import { basename, extname, resolve } from "node:path";

import { dialects } from "../../harness/dialects/shipped.ts";
import { mergeDeviations } from "../../harness/dialects/schema.ts";
import type { Deviations, Dialect } from "../../harness/dialects/schema.ts";
import { openTarget } from "../../harness/open-target.ts";
import { learnedText } from "../progress/learned-text.ts";
import { CommandError } from "../errors.ts";
import type { Io } from "../io.ts";
import { runnerSettings } from "../runner-settings.ts";
import { contractSettings } from "../settings/contract.ts";
import type { SettingValues } from "../settings/options.ts";
import { asTyped } from "./as-typed.ts";
import { withTarget } from "../target.ts";

/** The file that `--dialect` names where it is not there yet: it is to be written from what is learned of the target. */
export function dialectToLearn({ dialect }: SettingValues, io: Io): string | undefined {
  if (dialect === undefined || dialects.some(({ name }) => name === dialect)) return undefined;
  return existsSync(resolve(io.workingDirectory, dialect)) ? undefined : dialect;
}

/**
 * Asks the target what a run would ask before it judges, prints what was learned, and returns it as the text of a
 * dialect's file, by which a later run goes on without learning it anew.
 * @throws CommandError WRONG_USAGE where no target is named; HarnessError where it cannot be reached or refuses the key
 */
export async function learnedDialectText(
  chosen: SettingValues,
  file: string,
  io: Io,
): Promise<string> {
  const { dialect: _, ...rest } = chosen;
  const settings = contractSettings(asTyped(rest), undefined, io);
  const { target } = settings;
  if (target?.endpointId === undefined) throw nothingToAsk(file);
  return withTarget(settings, io, async (opened) => {
    const { discovery } = await openTarget(runnerSettings(settings, opened));
    const facts = discovery?.facts ?? [];
    io.write(learnedText({ facts, ...(discovery?.cost ?? { requests: 0, tookMs: 0 }) }));
    const learned = (discovery?.learned ?? []).map(
      ({ dialect, deviations = {} }) => dialect ?? deviations,
    );
    const merged = learned.reduce<Deviations>(mergeDeviations, settings.dialect.deviations ?? {});
    return `${JSON.stringify(dialectOf(file, opened.baseUrl, merged), null, 2)}\n`;
  });
}

function dialectOf(file: string, baseUrl: string, deviations: Deviations): Dialect {
  const name = basename(file, extname(file)).replaceAll(/[^A-Za-z0-9-]+/g, "-");
  return {
    name: /^[A-Za-z0-9]/.test(name) ? name : `learned${name}`,
    description: `What the server at ${baseUrl} does otherwise than the specification says, as it was learned.`,
    ...(Object.keys(deviations).length > 0 && { deviations }),
  };
}

function nothingToAsk(file: string): CommandError {
  const hint =
    "Give --base-url and --endpoint, and QUEUEPROOF_API_KEY where it asks for a key; or name a dialect that is there.";
  return new CommandError(
    "WRONG_USAGE",
    `no dialect is at ${file}, and no target to learn one from`,
    {
      hint,
    },
  );
}
