import { createHash } from "node:crypto";
import { header } from "./header.ts";
import { type DocumentObject, objectAt, readDocument, stringAt, stringsAt } from "./documents.ts";
import { readProfiles } from "./profiles.ts";

const unitsMs = { s: 1000, m: 60_000, h: 3_600_000 } as const;

/** The documents, each with what stands before its areas where areas of several stand together. */
const documents = {
  server: { file: "requirements.yaml", before: "" },
  client: { file: "client-requirements.yaml", before: "client " },
  worker: { file: "worker-requirements.yaml", before: "worker " },
} as const;

/** Writes the catalogues as one typed table, in the order of the documents. */
export async function generateRequirements(): Promise<string> {
  const ofServers = await catalogueRows(documents.server);
  const ofClients = await catalogueRows(documents.client);
  const ofWorkers = await catalogueRows(documents.worker);
  const every = [...ofServers, ...ofClients, ...ofWorkers];
  const ids = every.map(({ id }) => id);
  refuseRepeated(ids);
  const { version, ofId, extended } = await readProfiles(ids);
  for (const row of every) {
    row.profile = ofId.get(row.id);
    row.isExtended = extended.has(row.id);
  }
  const catalogues = { server: ofServers, client: ofClients, worker: ofWorkers };
  const identities = Object.fromEntries(
    Object.entries(catalogues).map(([name, rows]) => [
      name,
      { version, requirementsSha256: sha256(JSON.stringify(rows)) },
    ]),
  );

  const lines = Object.entries(catalogues).flatMap(([catalogue, rows]) =>
    rows.map((row) => `  ${JSON.stringify(row.id)}: ${JSON.stringify({ ...row, catalogue })},`),
  );
  return [
    header("the requirements' documents and profiles.yaml"),
    `export const areas = ${JSON.stringify(areasOf(every))} as const;\n`,
    `export const catalogueIdentities = ${JSON.stringify(identities)} as const;\n`,
    `export const requirementTable = {\n${lines.join("\n")}\n} as const;\n`,
  ].join("\n");
}

function areasOf(rows: readonly Row[]): readonly string[] {
  return [...new Set(rows.map(({ area }) => area))];
}

async function catalogueRows({
  file,
  before,
}: (typeof documents)[keyof typeof documents]): Promise<readonly Row[]> {
  const catalogue = await readDocument(file);
  return Object.keys(catalogue).flatMap((area) =>
    rowsOf(`${before}${area}`, catalogue[area], file),
  );
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function rowsOf(area: string, entries: unknown, file: string): readonly Row[] {
  if (!Array.isArray(entries)) throw new TypeError(`${file}: ${area} must be a list`);
  return entries.map((entry, index) => rowOf(area, objectAt(entry, `${file}: ${area}/${index}`)));
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
  readonly decided?: string;
  readonly tasks?: readonly string[];
  readonly testsNeeded?: readonly string[];
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
    // What a worker's entry needs is something of its user's tests, and no capability of a server.
    needs: id.startsWith("WORK-") ? [] : stringsAt(entry["needs"], `${id}: needs`),
    realTimeMs:
      entry["time"] === undefined ? 0 : durationMs(stringAt(entry["time"], `${id}: time`), id),
    accepts: stringsAt(entry["accepts"], `${id}: accepts`),
    ...(entry["decided"] !== undefined && {
      decided: stringAt(entry["decided"], `${id}: decided`),
      tasks: stringsAt(entry["tasks"], `${id}: tasks`),
    }),
    ...(id.startsWith("WORK-") && { testsNeeded: stringsAt(entry["needs"], `${id}: needs`) }),
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
  if (repeated.length > 0) throw new TypeError(`an id stands twice: ${repeated.join(", ")}`);
}
