import { createHash } from "node:crypto";
import { header } from "./header.ts";
import { type DocumentObject, objectAt, readDocument, stringAt, stringsAt } from "./documents.ts";
import { readProfiles } from "./profiles.ts";

const unitsMs = { s: 1000, m: 60_000, h: 3_600_000 } as const;

/** Writes the catalogue as a typed table, in the order of the document. */
export async function generateRequirements(): Promise<string> {
  const catalogue = await readDocument("requirements.yaml");
  const areas = Object.keys(catalogue);
  const rows = areas.flatMap((area) => rowsOf(area, catalogue[area]));
  const ids = rows.map(({ id }) => id);
  refuseRepeated(ids);
  const { version, ofId, extended } = await readProfiles(ids);
  for (const row of rows) {
    row.profile = ofId.get(row.id);
    row.isExtended = extended.has(row.id);
  }
  const identity = { version, requirementsSha256: sha256(JSON.stringify(rows)) };

  const lines = rows.map((row) => `  ${JSON.stringify(row.id)}: ${JSON.stringify(row)},`);
  return [
    header("requirements.yaml and profiles.yaml"),
    `export const areas = ${JSON.stringify(areas)} as const;\n`,
    `export const catalogueIdentity = ${JSON.stringify(identity)} as const;\n`,
    `export const requirementTable = {\n${lines.join("\n")}\n} as const;\n`,
  ].join("\n");
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function rowsOf(area: string, entries: unknown): readonly Row[] {
  if (!Array.isArray(entries)) throw new TypeError(`requirements.yaml: ${area} must be a list`);
  return entries.map((entry, index) =>
    rowOf(area, objectAt(entry, `requirements.yaml: ${area}/${index}`)),
  );
}

interface Row {
  readonly id: string;
  readonly area: string;
  readonly level: string;
  readonly text: string;
  readonly section: string;
  readonly needs: readonly string[];
  readonly realTimeMs: number;
  readonly accepts: readonly string[];
  profile?: string | undefined;
  isExtended?: boolean;
}

function rowOf(area: string, entry: DocumentObject): Row {
  const id = stringAt(entry["id"], `${area}: id`);
  return {
    id,
    area,
    level: stringAt(entry["level"], `${id}: level`),
    text: stringAt(entry["text"], `${id}: text`),
    section: stringAt(entry["section"], `${id}: section`),
    needs: stringsAt(entry["needs"], `${id}: needs`),
    realTimeMs:
      entry["time"] === undefined ? 0 : durationMs(stringAt(entry["time"], `${id}: time`), id),
    accepts: stringsAt(entry["accepts"], `${id}: accepts`),
  };
}

/** Reads "6s", "10m" or "24h" as milliseconds; throws with the entry's id on anything else. */
export function durationMs(text: string, id: string): number {
  const match = /^(?<count>\d+)(?<unit>[smh])$/u.exec(text);
  const unit = match?.groups?.["unit"];
  if (unit !== "s" && unit !== "m" && unit !== "h") {
    throw new TypeError(`${id}: time must be a number with s, m or h, got ${text}`);
  }
  return Number(match?.groups?.["count"]) * unitsMs[unit];
}

function refuseRepeated(ids: readonly string[]): void {
  const repeated = ids.filter((id, index) => ids.indexOf(id) !== index);
  if (repeated.length > 0)
    throw new TypeError(`requirements.yaml names twice: ${repeated.join(", ")}`);
}
