/** The characters that have a name of their own in messages. */
const names: Readonly<Record<string, string>> = {
  "\u0000": "a null character",
  "\t": "a tab",
  "\n": "a line feed",
  "\r": "a carriage return",
  "\u001b": "an escape character",
  " ": "a space",
  "\u00a0": "a no-break space",
  "\u200b": "a zero-width space",
  "\u007f": "a delete character",
  "\ufeff": "a byte order mark",
};

/**
 * The first character of a text that no key may hold, named, such as `a line feed (U+000A)`; undefined where all of them
 * can be sent in a header (RFC 9110, 5.5) and come back as they are.
 */
export function unsendableIn(text: string): string | undefined {
  const character = /[^\u0020-\u007E]/u.exec(text)?.[0];
  return character === undefined ? undefined : nameOf(character);
}

/** The first control character of a text, named; undefined where there is none. */
export function controlCharacterIn(text: string): string | undefined {
  const character = /\p{Cc}/u.exec(text)?.[0];
  return character === undefined ? undefined : nameOf(character);
}

function nameOf(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  const name =
    names[character] ?? (/\p{Cc}/u.test(character) ? "a control character" : "a character");
  return `${name} (U+${code})`;
}
