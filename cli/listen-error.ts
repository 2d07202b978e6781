import { codeOf, CommandError } from "./errors.ts";

/** Turns an error of listening into one with a hint; returns every other error unchanged. */
export function listenError(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
): unknown {
  const code = codeOf(error);
  if (code === "EADDRINUSE") {
    return new CommandError("PORT_IN_USE", `port ${port} of ${host} is in use`, {
      hint: "Stop what listens there, or give --port another number (0 takes any free port).",
      cause: error,
    });
  }
  if (code === "EACCES" || code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
    return new CommandError("CANNOT_LISTEN", `cannot listen on ${host}, port ${port} (${code})`, {
      hint: "Give --host an address of this machine and --port a number of 1024 or more.",
      cause: error,
    });
  }
  return error;
}
