/** A piece of HTML that is safe to put into a page. Only `html` and `raw` make one. */
export class Markup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** What may stand in a template: text is escaped, lists are joined, undefined is nothing. */
export type MarkupPart = Markup | string | number | readonly MarkupPart[] | undefined;

/** A template whose every part is escaped unless it is Markup already. */
export function html(strings: TemplateStringsArray, ...parts: readonly MarkupPart[]): Markup {
  return new Markup(String.raw({ raw: unindented(strings) }, ...parts.map(rendered)));
}

const withoutIndents = new WeakMap<TemplateStringsArray, readonly string[]>();

/** The templates' own indentation would be a good part of a long page. */
function unindented(strings: TemplateStringsArray): readonly string[] {
  const known = withoutIndents.get(strings);
  if (known !== undefined) return known;
  const shorter = strings.map((text) => text.replaceAll(/\s*\n\s*/gu, "\n"));
  withoutIndents.set(strings, shorter);
  return shorter;
}

/** Text of our own that must not be escaped: the style sheet and the script. */
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
 * Text as it may stand in an element and in a quoted attribute. Control characters become their
 * pictures; lone surrogates and marks that turn the direction of writing become U+FFFD, since they
 * would break the encoding or make a line read as what it is not.
 */
function escaped(text: string): string {
  return text
    .replaceAll(/[&<>"']/gu, (character) => entities[character] ?? "")
    .replaceAll(/[\p{Surrogate}\p{Bidi_Control}\p{Noncharacter_Code_Point}]/gu, "\u{FFFD}")
    .replaceAll(/(?![\t\n])\p{Control}/gu, picture);
}

/** U+0000 to U+001F have a picture each; the few others share one. */
function picture(control: string): string {
  const code = control.codePointAt(0) ?? 0;
  return code < 0x20 ? String.fromCodePoint(0x24_00 + code) : "\u{FFFD}";
}

/** A sentence of the catalogue: pairs of backticks mark code. */
export function prose(text: string): Markup {
  const parts = text.split(/`([^`]+)`/u);
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}
