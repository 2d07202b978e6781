import { once } from "node:events";
import {
  changed,
  faultNamed,
  faults,
  inDialect,
  specified,
  startReference,
} from "../../reference/index.ts";
import type { Behaviour, Reference } from "../../reference/index.ts";
import { CommandError } from "../errors.ts";
import { listenForInterruption } from "../interruption.ts";
import type { Io } from "../io.ts";
import { didYouMean } from "../nearest.ts";
import type { ServeSettings } from "../settings/serve.ts";
import { serveGreeting, shellWord } from "./serve-greeting.ts";

/**
 * Runs the embedded reference until SIGINT or SIGTERM, then stops it cleanly and answers 0.
 * @throws CommandError PORT_IN_USE or CANNOT_LISTEN; WRONG_USAGE for an unknown fault.
 */
export async function serve(settings: ServeSettings, io: Io): Promise<number> {
  const behaviour = behaviourOf(settings);
  const interruption = listenForInterruption();
  try {
    const reference = await start(settings, behaviour);
    io.write(settings.json ? firstLine(reference) : greeting(reference, settings));
    if (!interruption.signal.aborted) await once(interruption.signal, "abort");
    await reference.stop();
    return 0;
  } finally {
    interruption.stop();
  }
}

function behaviourOf({ dialect, fault: name }: ServeSettings): Behaviour {
  const spoken = inDialect(dialect, specified) ?? specified;
  if (name === undefined) return spoken;
  const fault = faultNamed(name);
  if (fault !== undefined) return changed(spoken, fault.change(spoken));
  const names = faults.map((each) => each.name);
  throw new CommandError(
    "WRONG_USAGE",
    `There is no fault ${JSON.stringify(name)}${didYouMean(name, names)}`,
    { hint: "Give --fault the name of a fault in the reference's fault table." },
  );
}

async function start(settings: ServeSettings, behaviour: Behaviour): Promise<Reference> {
  const { host, port, control, workers } = settings;
  try {
    return await startReference({
      host,
      port,
      control,
      behaviour,
      defaultEndpoint: { clock: "real", workers },
    });
  } catch (error) {
    throw listenError(error, settings);
  }
}

/** Says why the server could not listen; every other error passes. */
export function listenError(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE") {
    return new CommandError("PORT_IN_USE", `Port ${port} of ${host} is in use.`, {
      hint: "Stop what listens there, or give --port another number (0 takes any free port).",
      cause: error,
    });
  }
  if (code === "EACCES" || code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
    return new CommandError("CANNOT_LISTEN", `Cannot listen on ${host}, port ${port} (${code}).`, {
      hint: "Give --host an address of this machine and --port a number of 1024 or more.",
      cause: error,
    });
  }
  return error;
}

/** Another terminal may stand in another directory, where `npx queueproof` finds nothing. */
function greeting(reference: Reference, settings: ServeSettings): string {
  const command = `node ${shellWord(process.argv[1] ?? "")}`;
  return serveGreeting(reference, { ...settings, command });
}

function firstLine({ baseUrl, controlUrl, endpointId, apiKey, foreignKey }: Reference): string {
  return `${JSON.stringify({ baseUrl, controlUrl, endpointId, apiKey, foreignKey })}\n`;
}
