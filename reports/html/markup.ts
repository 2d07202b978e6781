/** A piece of HTML that is safe in a page. Only `html` and `raw` make one. */
export class Markup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** What a template may contain: text is escaped, lists are joined, undefined is left out. */
export type MarkupPart = Markup | string | number | readonly MarkupPart[] | undefined;

/** Makes HTML of a template, and escapes every part that is not Markup already. */
export function html(strings: TemplateStringsArray, ...parts: readonly MarkupPart[]): Markup {
  return new Markup(String.raw({ raw: unindented(strings) }, ...parts.map(rendered)));
}

const withoutIndents = new WeakMap<TemplateStringsArray, readonly string[]>();

/** Removes the templates' own indentation, which would be a good part of a long page. */
function unindented(strings: TemplateStringsArray): readonly string[] {
  const known = withoutIndents.get(strings);
  if (known !== undefined) return known;
  const shorter = strings.map((text) => text.replaceAll(/\s*\n\s*/gu, "\n"));
  withoutIndents.set(strings, shorter);
  return shorter;
}

/** Marks text as safe: for our own style sheet and script, which must not be escaped. */
export function raw(text: string): Markup {
  return new Markup(text);
}

function rendered(part: MarkupPart): string {
  if (part === undefined) return "";
  if (part instanceof Markup) return part.toString();
  if (typeof part === "object") return part.map(rendered).join("");
  return escaped(String(part));
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * Escapes text for use in an element or a quoted attribute. Control characters become their pictures. Lone
 * surrogates and marks that change the direction of writing become U+FFFD: they would break the encoding, or make a
 * line read as something that it is not.
 */
function escaped(text: string): string {
  return text
    .replaceAll(/[&<>"']/gu, (character) => entities[character] ?? "")
    .replaceAll(/[\p{Surrogate}\p{Bidi_Control}\p{Noncharacter_Code_Point}]/gu, "\u{FFFD}")
    .replaceAll(/(?![\t\n])\p{Control}/gu, picture);
}

/** U+0000 to U+001F have one picture each; the other control characters become U+FFFD. */
function picture(control: string): string {
  const code = control.codePointAt(0) ?? 0;
  return code < 0x20 ? String.fromCodePoint(0x24_00 + code) : "\u{FFFD}";
}

/** Shows a sentence of the catalogue, in which pairs of backticks mark code. */
export function prose(text: string): Markup {
  const parts = text.split(/`([^`]+)`/u);
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}
