/** JSON Schema of a value, with words for people that say what is expected, and whether it is secret. */
interface ValueSchema {
  readonly expects: string;
  readonly secret?: boolean;
  readonly [keyword: string]: unknown;
}

/** The value type for each kind of option. */
interface Kinds<Choice extends string> {
  readonly text: Choice;
  readonly integer: number;
  readonly list: readonly Choice[];
  readonly flag: boolean;
  /** The path of a file, or, in a config file, the content of that file. */
  readonly fileOrObject: string | Readonly<Record<string, unknown>>;
}

/** One option of the command line. The name of its environment variable follows from its name. */
export interface OptionRow<
  Kind extends keyof Kinds<string> = keyof Kinds<string>,
  Choice extends string = string,
> {
  /** The flags in commander's notation. Where there are two names, the second is the option's own. */
  readonly flags: string;
  readonly description: string;
  readonly kind: Kind;
  /** The allowed values of a text or list item; empty where any other is allowed, too. */
  readonly choices: readonly Choice[];
  readonly schema: ValueSchema;
  /** Separates items where one text holds several. */
  readonly separator?: string;
}

/** The type of an option's value. */
export type ValueOf<Row> =
  Row extends OptionRow<infer Kind, infer Choice> ? Kinds<Choice>[Kind] : never;

/** The rules for a text, and words for people that say what is expected. */
interface TextRules<Choice extends string> {
  readonly expects: string;
  readonly pattern?: string;
  readonly secret?: boolean;
  readonly enum?: readonly Choice[];
}

export function oneOf<const Choice extends string>(names: readonly Choice[]): TextRules<Choice> {
  const expects = names.length === 1 ? `${names[0]}` : `one of ${names.join(", ")}`;
  return { enum: names, expects };
}

export function text<Choice extends string = string>(
  flags: string,
  description: string,
  rules: TextRules<Choice>,
): OptionRow<"text", Choice> {
  const schema = { type: "string", minLength: 1, ...rules };
  return { flags, description, kind: "text", choices: rules.enum ?? [], schema };
}

/** Makes an option that takes several texts, separated by commas or another separator, or given by repetition. */
export function list<Choice extends string = string>(
  flags: string,
  description: string,
  { separator = ",", ...rules }: TextRules<Choice> & { readonly separator?: string },
): OptionRow<"list", Choice> {
  const { schema: items, choices } = text(flags, description, rules);
  const secret = rules.secret === true ? { secret: true } : {};
  const schema = { type: "array", items, minItems: 1, expects: "a list of one or more", ...secret };
  return { flags, description, kind: "list", choices, schema, separator };
}

export function integer(
  flags: string,
  description: string,
  [minimum, maximum]: readonly [number, number],
): OptionRow<"integer"> {
  const expects = `an integer from ${minimum} to ${maximum}`;
  const schema = { type: "integer", minimum, maximum, expects };
  return { flags, description, kind: "integer", choices: [], schema };
}

/** Makes an option with the path of a JSON file; a config file may hold the object itself. */
export function fileOrObject(
  flags: string,
  description: string,
  expects: string,
): OptionRow<"fileOrObject"> {
  const schema = { type: ["string", "object"], minLength: 1, expects };
  return { flags, description, kind: "fileOrObject", choices: [], schema };
}

export function flag(flags: string, description: string): OptionRow<"flag"> {
  const schema = { type: "boolean", expects: "true or false" };
  return { flags, description, kind: "flag", choices: [], schema };
}
