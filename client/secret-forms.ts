/** Shorter values are no secrets here: they would blank out innocent text, and real keys and secrets are longer. */
export const secretCharactersMin = 4;

/** From this length on a secret is also found in other letter case, base64 and hex; a shorter one may be a word. */
export const secretCharactersSafe = 8;

/** A part of a text, from the index of its first character to the index after its last. */
export type Range = readonly [start: number, end: number];

interface Form {
  /** In lower case. */
  readonly text: string;
  /** The form in the letter case that it must have, where that matters. */
  readonly exact?: string;
  /** Whether it is base64 or hex: the encoded text around it, which holds the rest of the secret, goes with it. */
  readonly isEncoded: boolean;
  /** Whether it has to be a whole word: a short secret of letters alone. */
  readonly isWord?: boolean;
}

/** Finds the forms of many secrets. A text is read once, however many there are. */
export class SecretForms {
  /**
   * By the hash of their last characters, since keys of one issuer often begin alike; of those with one hash the longest
   * comes first.
   */
  readonly #byEnding = new Map<number, Form[]>();
  /** 1 where a hash has these lower bits: most places of a text end nothing, and a map takes longer to say so. */
  readonly #mayEnd = new Uint8Array(1 << 16);
  /** By the hash of their first characters: of a secret that was cut off nothing else may be left. */
  readonly #byBeginning = new Map<number, Form[]>();
  #longest = 0;

  add(secret: string): void {
    for (const form of formsOf(secret)) {
      const hash = hashBefore(form.text, form.text.length);
      const alike = this.#byEnding.get(hash) ?? [];
      if (alike.some(({ text, exact }) => text === form.text && exact === form.exact)) continue;
      this.#mayEnd[hash & lowerBits] = 1;
      this.#byEnding.set(
        hash,
        [...alike, form].toSorted((a, b) => b.text.length - a.text.length),
      );
      const beginning = hashBefore(form.text, secretCharactersMin);
      this.#byBeginning.set(beginning, [...(this.#byBeginning.get(beginning) ?? []), form]);
      this.#longest = Math.max(this.#longest, form.text.length);
    }
  }

  /** Where secrets stand in the text, and what is left of them before a cut; they may overlap. */
  rangesIn(text: string): Range[] {
    const lower = lowerCase(text);
    const ranges: Range[] = this.#cutIn(lower);
    let encoded: Range = [0, 0];
    for (let end = secretCharactersMin; end <= lower.length; end += 1) {
      const hash = hashBefore(lower, end);
      if (this.#mayEnd[hash & lowerBits] === 0) continue;
      const form = this.#byEnding
        .get(hash)
        ?.find(
          (each) =>
            lower.endsWith(each.text, end) &&
            (each.exact === undefined || text.endsWith(each.exact, end)) &&
            (each.isWord !== true || standsAlone(lower, [end - each.text.length, end])),
        );
      if (form === undefined) continue;
      const range: Range = [end - form.text.length, end];
      if (!form.isEncoded) ranges.push(range);
      // One run of encoded text goes as a whole, however many forms are in it.
      else if (end > encoded[1]) ranges.push((encoded = widened(lower, range)));
    }
    return ranges;
  }

  /** Where the beginning of a secret stands before the mark of a cut, whose rest was cut off. */
  #cutIn(lower: string): Range[] {
    const ranges: Range[] = [];
    for (let at = lower.indexOf(cutMark); at >= 0; at = lower.indexOf(cutMark, at + 1)) {
      const range = this.#begunBefore(lower, at);
      if (range !== undefined) ranges.push(range);
    }
    return ranges;
  }

  /** The longest beginning of a secret that ends at a place. */
  #begunBefore(lower: string, at: number): Range | undefined {
    for (
      let start = Math.max(0, at - this.#longest);
      start <= at - secretCharactersMin;
      start += 1
    ) {
      const form = this.#byBeginning
        .get(hashBefore(lower, start + secretCharactersMin))
        ?.find(({ text }) => text.startsWith(lower.slice(start, at)));
      if (form !== undefined) return form.isEncoded ? widened(lower, [start, at]) : [start, at];
    }
    return undefined;
  }
}

/** What stands in every text where the rest was cut off. */
const cutMark = "…";

function formsOf(secret: string): readonly Form[] {
  const written = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
  if (secret.length < secretCharactersSafe) {
    const isWord = /^\p{L}+$/u.test(secret);
    return written.map((exact) => ({ text: lowerCase(exact), exact, isEncoded: false, isWord }));
  }
  const bytes = Buffer.from(secret);
  return [
    ...written.map((text) => ({ text: lowerCase(text), isEncoded: false })),
    ...[bytes.toString("hex"), ...base64Cores(bytes)].map((text) => ({
      text: lowerCase(text),
      isEncoded: true,
    })),
  ];
}

/** The base64 of the bytes at each offset in a group of three, without the characters that neighbours change. */
function base64Cores(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const placed = Buffer.concat([Buffer.alloc(before), bytes]);
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor((placed.length * 8) / 6);
    const core = placed.toString("base64").slice(from, to);
    return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

const letter = /\p{L}/u;

function standsAlone(text: string, [start, end]: Range): boolean {
  return !letter.test(text.charAt(start - 1)) && !letter.test(text.charAt(end));
}

const isOfEncoding = /[a-z0-9+/_=-]/;

function widened(text: string, [from, to]: Range): Range {
  let start = from;
  let end = to;
  while (start > 0 && isOfEncoding.test(text.charAt(start - 1))) start -= 1;
  while (end < text.length && isOfEncoding.test(text.charAt(end))) end += 1;
  return [start, end];
}

/** Of a hash, as many as the table of those that may end a secret has. */
const lowerBits = 0xff_ff;

/** The hash of the four characters before a place; different ones may have the same. */
function hashBefore(text: string, end: number): number {
  return (
    text.charCodeAt(end - 4) +
    text.charCodeAt(end - 3) * 31 +
    text.charCodeAt(end - 2) * 961 +
    text.charCodeAt(end - 1) * 29_791
  );
}

/** Lower case of the same length; a few letters with longer counterparts stay as they are. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
