import { header } from "./header.ts";
import { type DocumentObject, objectAt, readDocument, stringAt, stringsAt } from "./documents.ts";

/** The profiles of the catalogue, and which of them each requirement is in. */
export interface Profiles {
  readonly version: string;
  readonly ofId: ReadonlyMap<string, string>;
  /** The requirements that are in the extended part of their profile. */
  readonly extended: ReadonlySet<string>;
}

/**
 * Writes what each profile is about and whom it judges, without the requirements, so that a command line need not load
 * those.
 */
export async function generateProfiles(): Promise<string> {
  const rows = rowsOf(await readDocument("profiles.yaml"));
  const entries = Object.fromEntries(rows.map(({ name, of, about }) => [name, { of, about }]));
  const table = `export const profileTable = ${JSON.stringify(entries)} as const;`;
  return `${header("profiles.yaml")}\n${table}\n`;
}

/** Reads profiles.yaml for the requirements that there are. */
export async function readProfiles(ids: readonly string[]): Promise<Profiles> {
  return profilesIn(await readDocument("profiles.yaml"), ids);
}

interface Row {
  readonly name: string;
  readonly of: string;
  readonly about: string;
  readonly patterns: readonly string[];
  readonly extended: readonly string[];
}

/**
 * Throws where an id is in no profile or in two, where a profile names an unknown requirement, and where it extends itself
 * by one of another profile.
 */
export function profilesIn(document: DocumentObject, ids: readonly string[]): Profiles {
  const rows = rowsOf(document);
  const known = new Set(ids.flatMap((id) => [id, starOf(id)]));
  const unknown = rows.flatMap(({ patterns }) => patterns).filter((each) => !known.has(each));
  if (unknown.length > 0) {
    throw new TypeError(`profiles.yaml names no requirement: ${unknown.join(", ")}`);
  }
  const ofId = new Map(ids.map((id) => [id, profileOf(id, rows)]));
  for (const { name, extended } of rows) refuseForeign(name, extended, ofId);
  return {
    version: stringAt(document["version"], "profiles.yaml: version"),
    ofId,
    extended: new Set(rows.flatMap(({ extended }) => extended)),
  };
}

function refuseForeign(
  name: string,
  extended: readonly string[],
  ofId: ReadonlyMap<string, string>,
): void {
  const foreign = extended.filter((id) => ofId.get(id) !== name);
  if (foreign.length === 0) return;
  throw new TypeError(`profiles.yaml: ${name} has no ${foreign.join(", ")} that could extend it`);
}

function rowsOf(document: DocumentObject): readonly Row[] {
  const named = objectAt(document["profiles"], "profiles.yaml: profiles");
  return Object.keys(named).map((name) => rowOf(name, named[name]));
}

function rowOf(name: string, value: unknown): Row {
  const row = objectAt(value, `profiles.yaml: ${name}`);
  return {
    name,
    of: row["of"] === undefined ? "server" : stringAt(row["of"], `profiles.yaml: ${name}: of`),
    about: stringAt(row["about"], `profiles.yaml: ${name}: about`),
    patterns: stringsAt(row["requirements"], `profiles.yaml: ${name}: requirements`),
    extended: stringsAt(row["extended"], `profiles.yaml: ${name}: extended`),
  };
}

function starOf(id: string): string {
  return `${id.slice(0, id.indexOf("-"))}-*`;
}

function profileOf(id: string, rows: readonly Row[]): string {
  const naming = (pattern: string): readonly string[] =>
    rows.filter(({ patterns }) => patterns.includes(pattern)).map(({ name }) => name);
  const exact = naming(id);
  const found = exact.length > 0 ? exact : naming(starOf(id));
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  const where = found.length === 0 ? "none" : found.join(" and ");
  throw new TypeError(`profiles.yaml: ${id} must be in one profile, it is in ${where}`);
}
