/**
 * What a proof keeps of each fault, by the fault's name: the checks that caught it under the right name, or on a real
 * clock why nothing did.
 */
export type KeptEvidence = Readonly<Record<string, readonly string[] | string>>;

/** The evidence as JSON, one fault a line, sorted: a fault that changes changes one line. */
export function evidenceText(evidence: KeptEvidence): string {
  const lines = Object.keys(evidence)
    .toSorted()
    .map((name) => `  ${JSON.stringify(name)}: ${listText(evidence[name] ?? [])}`);
  return lines.length === 0 ? "{}\n" : `{\n${lines.join(",\n")}\n}\n`;
}

/** JSON on one line, with a blank after each comma. */
function listText(value: readonly string[] | string): string {
  if (typeof value === "string") return JSON.stringify(value);
  return `[${value.map((each) => JSON.stringify(each)).join(", ")}]`;
}

/** Reads evidence; nothing where there is no text. */
export function parseEvidence(text: string): KeptEvidence {
  // oxlint-disable-next-line typescript/no-unsafe-assignment -- evidenceText has written it
  const evidence: KeptEvidence = text === "" ? {} : JSON.parse(text);
  return evidence;
}

/** The checks that caught each fault; a fault that survived is left out. */
export function checksThatCaught(text: string): ReadonlyMap<string, readonly string[]> {
  return new Map(
    Object.entries(parseEvidence(text)).flatMap(([name, checks]) =>
      typeof checks === "string" || checks.length === 0 ? [] : [[name, checks] as const],
    ),
  );
}
