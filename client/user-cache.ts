import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** This program's folder in the user's own cache (XDG Base Directory Specification). */
export function userCache({
  XDG_CACHE_HOME: given = "",
}: Readonly<Record<string, string | undefined>>): string {
  return join(isAbsolute(given) ? given : join(homedir(), ".cache"), "queueproof");
}
