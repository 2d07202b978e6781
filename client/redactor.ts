import { beginning } from "./beginning.ts";
import { mapTexts } from "./map-texts.ts";
import { secretCharactersMin, SecretForms } from "./secret-forms.ts";
import type { Range } from "./secret-forms.ts";
import { unescaped } from "./unescape.ts";

/** Replaces every key, secret and s3Config value. */
export const redacted = "***";

/** Escapes within escapes, as of JSON in JSON in a URL, are followed this deep. */
const escapesDeep = 4;

/**
 * Takes the secrets of a run out of any text: keys, and every value of an s3Config. A run has one redactor, and each
 * check one made from that. All of them take out the secrets of all checks, because a target may show one endpoint what
 * was sent to another.
 */
export class Redactor {
  readonly #names = new Map<string, string>();
  readonly #parent: Redactor | undefined;
  readonly #ofTheRun: SecretForms;

  constructor(parent?: Redactor) {
    this.#parent = parent;
    this.#ofTheRun = parent === undefined ? new SecretForms() : parent.#ofTheRun;
  }

  /** Remembers a secret under a name that may be shown; its first name stays. Values under four characters are ignored. */
  add(name: string, secret: string | undefined): void {
    if (secret === undefined || secret.length < secretCharactersMin) return;
    if (this.nameOf(secret) !== undefined) return;
    this.#names.set(secret, name);
    this.#ofTheRun.add(secret);
  }

  /** The name under which a secret is known. */
  nameOf(secret: string): string | undefined {
    return this.#names.get(secret) ?? this.#parent?.nameOf(secret);
  }

  /**
   * The text with every secret of the run replaced by `***`: as it is or in other letter case, with any of its
   * characters escaped as JSON, URLs and HTML do, and within base64 or hex.
   */
  redact(text: string): string {
    const ranges = secretsIn(text, this.#ofTheRun, escapesDeep);
    return ranges.length === 0 ? text : without(text, ranges);
  }

  /** The value with every text in it redacted, at any depth, but members whose names are in `ours`. */
  redactAll<Value>(value: Value, ours: ReadonlySet<string>): Value {
    return mapTexts(value, (text) => this.redact(text), ours);
  }
}

function secretsIn(text: string, forms: SecretForms, deep: number): readonly Range[] {
  const ranges = forms.rangesIn(text);
  const plain = deep === 0 ? undefined : unescaped(text);
  if (plain === undefined) return ranges;
  return [...ranges, ...secretsIn(plain.text, forms, deep - 1).map(plain.rangeBefore)];
}

/** Secrets that overlap are replaced as one, so that no rest of either stays. */
function without(text: string, ranges: readonly Range[]): string {
  let clean = "";
  let keptUpTo = 0;
  for (const [start, end] of ranges.toSorted(([a], [b]) => a - b)) {
    if (start >= keptUpTo) clean += text.slice(keptUpTo, start) + redacted;
    keptUpTo = Math.max(keptUpTo, end);
  }
  return clean + text.slice(keptUpTo);
}

/** How much of a body is recorded: enough to read and repeat a job, not the 20 MB of a size check. */
export const excerptCharactersMax = 4096;

/**
 * The redacted beginning of a body, with how much was left out. Of bytes only the beginning is decoded: otherwise a
 * payload of 20 MB would be copied once more for each request that is recorded.
 * @param length of the whole, where only the beginning is there
 */
export function excerpt(
  body: string | Buffer,
  redactor: Redactor,
  length: number = body.length,
): string {
  const read = 2 * excerptCharactersMax;
  const text = typeof body === "string" ? beginning(body, read) : body.toString("utf8", 0, read);
  if (length <= excerptCharactersMax) return redactor.redact(text);
  // Redacted before the cut, because half a secret would not be found but where it is marked as cut.
  const shown = redactor.redact(length > read ? `${text}…` : text).slice(0, excerptCharactersMax);
  const left = length - excerptCharactersMax;
  const unit = typeof body === "string" ? "characters" : "bytes";
  return `${shown.replace(/…$/, "")}… (${left} more ${unit})`;
}
