/** What stands in the place of every key, secret and s3Config value. */
export const redacted = "***";

/** Shorter values would blank out innocent text; keys and secrets of the field are longer. */
const secretCharactersMin = 4;

/**
 * Knows the secrets of a run and takes them out of any text: keys, and every value of an s3Config.
 * A run has one, and each check its own, made from that: what a check finds to have leaked are its own secrets and
 * the run's, but what it writes down holds no secret of any other check either. A target may show one endpoint what
 * was sent to another.
 */
export class Redactor {
  readonly #secrets = new Map<string, string>();
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
    for (const form of formsOf(secret)) {
      this.#secrets.set(form, name);
      this.#ofTheRun.add(form);
    }
  }

  /** The name under which a secret is known. */
  nameOf(secret: string): string | undefined {
    return this.#secrets.get(secret) ?? this.#parent?.nameOf(secret);
  }

  /** The text with every secret of the run, also in its JSON and URL form, replaced by `***`. */
  redact(text: string): string {
    return this.#ofTheRun.takenOutOf(text);
  }

  /** The names of the secrets that stand in the text, sorted, each once. */
  leaksIn(text: string): string[] {
    const names = new Set<string>();
    for (const [secret, name] of this.#all()) if (text.includes(secret)) names.add(name);
    return [...names].toSorted();
  }

  #all(): [string, string][] {
    const inherited = this.#parent === undefined ? [] : this.#parent.#all();
    return [...inherited, ...this.#secrets];
  }
}

/** The forms of many secrets. A text is read once, however many there are. */
class SecretForms {
  /** By their first characters; of one beginning the longest comes first. */
  readonly #byBeginning = new Map<string, string[]>();

  add(form: string): void {
    const beginning = form.slice(0, secretCharactersMin);
    const alike = this.#byBeginning.get(beginning) ?? [];
    if (alike.includes(form)) return;
    this.#byBeginning.set(
      beginning,
      [...alike, form].toSorted((a, b) => b.length - a.length),
    );
  }

  /** Secrets that overlap go as one, so that no rest of either stays. */
  takenOutOf(text: string): string {
    let clean = "";
    let keptUpTo = 0;
    let end = 0;
    for (let at = 0; at + secretCharactersMin <= text.length; at += 1) {
      const alike = this.#byBeginning.get(text.slice(at, at + secretCharactersMin));
      const form = alike?.find((each) => text.startsWith(each, at));
      if (form === undefined) continue;
      if (at >= end) clean += text.slice(keptUpTo, at) + redacted;
      end = Math.max(end, at + form.length);
      keptUpTo = end;
    }
    return clean + text.slice(keptUpTo);
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
