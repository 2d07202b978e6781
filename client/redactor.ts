/** What stands in the place of every key, secret and s3Config value. */
export const redacted = "***";

/** Shorter values would blank out innocent text; keys and secrets of the field are longer. */
const secretCharactersMin = 4;

/**
 * Knows the secrets of a run and takes them out of any text: keys, and every value of an s3Config.
 * A redactor made from another one knows that one's secrets too: a run has one, and each check its own, so that a
 * text is searched for the secrets it could hold and not for those of two hundred other endpoints.
 */
export class Redactor {
  readonly #secrets = new Map<string, string>();
  readonly #parent: Redactor | undefined;

  constructor(parent?: Redactor) {
    this.#parent = parent;
  }

  /** Remembers a secret under a name that may be shown; its first name stays. Values under four characters are ignored. */
  add(name: string, secret: string | undefined): void {
    if (secret === undefined || secret.length < secretCharactersMin) return;
    if (this.nameOf(secret) !== undefined) return;
    for (const form of formsOf(secret)) this.#secrets.set(form, name);
  }

  /** The name under which a secret is known. */
  nameOf(secret: string): string | undefined {
    return this.#secrets.get(secret) ?? this.#parent?.nameOf(secret);
  }

  /** The text with every known secret, also in its JSON and URL form, replaced by `***`. */
  redact(text: string): string {
    let clean = text;
    for (const secret of this.#longestFirst()) clean = clean.replaceAll(secret, redacted);
    return clean;
  }

  /** The names of the secrets that stand in the text, sorted, each once. */
  leaksIn(text: string): string[] {
    const names = new Set<string>();
    for (const [secret, name] of this.#all()) if (text.includes(secret)) names.add(name);
    return [...names].toSorted();
  }

  /** A secret that contains another has to go first, or its rest would stay. */
  #longestFirst(): string[] {
    return this.#all()
      .map(([secret]) => secret)
      .toSorted((a, b) => b.length - a.length);
  }

  #all(): [string, string][] {
    const inherited = this.#parent === undefined ? [] : this.#parent.#all();
    return [...inherited, ...this.#secrets];
  }
}

function formsOf(secret: string): Set<string> {
  return new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]);
}

/** How much of a body is written down: enough to read and repeat a job, not the 20 MB of a size check. */
export const excerptCharactersMax = 4096;

/**
 * The beginning of a text, redacted; what was left out is named. Of bytes only the beginning is decoded: a payload of
 * 20 MB would be copied once more for each request that is written down.
 */
export function excerpt(body: string | Buffer, redactor: Redactor): string {
  const read = 2 * excerptCharactersMax;
  const text = typeof body === "string" ? body.slice(0, read) : body.toString("utf8", 0, read);
  if (body.length <= excerptCharactersMax) return redactor.redact(text);
  // Redacted before the cut: a secret that the cut would halve would no longer be known.
  const left = body.length - excerptCharactersMax;
  const unit = typeof body === "string" ? "characters" : "bytes";
  return `${redactor.redact(text).slice(0, excerptCharactersMax)}… (${String(left)} more ${unit})`;
}
