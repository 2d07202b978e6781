/** A word for a POSIX shell between quotes, whatever stands in it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The same, without quotes where none are needed. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./][\w@%+=:,./-]*$/u.test(text) ? text : quoted(text);
}
