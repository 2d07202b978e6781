import { Redactor } from "../../client/redactor.ts";
import type { OwnJobKinds } from "./jobs-file.ts";
import { jobsByKind } from "./own-jobs.ts";

/** A member with one of these words in its name holds a secret (docs/test-my-server.md#jobs-of-your-own). */
const secretWords: ReadonlySet<string> = new Set([
  "auth",
  "authorization",
  "bearer",
  "credential",
  "credentials",
  "key",
  "apikey",
  "passphrase",
  "password",
  "passwd",
  "secret",
  "token",
]);

/** Adds the secrets in the inputs of a jobs file to a redactor: every text in a member whose name says it is one. */
export function addInputSecrets(redactor: Redactor, jobs: OwnJobKinds): void {
  for (const [kind, { input }] of jobsByKind(jobs)) {
    addWithin(redactor, input, { name: `${kind} input`, isSecret: false });
  }
}

/** Whether an input of a jobs file holds a secret: such jobs are left out of reports. */
export function hasInputSecrets(jobs: OwnJobKinds): boolean {
  const redactor = new Redactor();
  addInputSecrets(redactor, jobs);
  const text = JSON.stringify(jobs);
  return redactor.redact(text) !== text;
}

function addWithin(
  redactor: Redactor,
  value: unknown,
  { name, isSecret }: { readonly name: string; readonly isSecret: boolean },
): void {
  if (typeof value === "string" && isSecret) redactor.add(name, value);
  if (typeof value !== "object" || value === null) return;
  for (const [member, inside] of Object.entries(value)) {
    const named = { name: `${name}, ${member}`, isSecret: isSecret || isSecretName(member) };
    addWithin(redactor, inside, named);
  }
}

/** Whether one of the words of a name is that of a secret, in whatever way the words are joined. */
function isSecretName(name: string): boolean {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.some((word) => secretWords.has(word));
}
