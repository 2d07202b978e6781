/**
 * The formats that the schemas name, for the generated validators.
 * A URL is what the platform can parse. A pattern for one overflows the stack on a text of some megabytes, and a
 * payload may hold 20 of them.
 */
export const formats = {
  uri: (text: string): boolean => URL.canParse(text),
} as const;
