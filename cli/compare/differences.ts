import type { Report } from "../../reports/model.ts";

/** Lists differences in the setup of two runs, which may be the cause of a changed verdict. */
export function differencesOf(old: Report, next: Report): readonly string[] {
  return [
    ...valueDifferences(old, next),
    ...listDifference("capabilities", old.target.capabilities, next.target.capabilities),
    ...listDifference("requirements", idsOf(old), idsOf(next)),
    ...wordings(old, next),
    ...[old, next].flatMap(({ interrupted }, at) =>
      interrupted === true ? [`${sides[at] ?? ""} was stopped before its end`] : [],
    ),
  ];
}

const sides = ["OLD", "NEW"] as const;

function valueDifferences(old: Report, next: Report): readonly string[] {
  const values: Readonly<Record<string, (report: Report) => string>> = {
    target: targetOf,
    endpoint: ({ target }) => target.endpointId,
    dialect: ({ dialect = "spec" }) => dialect,
    command: ({ command }) => command,
    "queueproof version": ({ tool }) => tool.version,
    seed: ({ seed }) => String(seed),
  };
  return Object.entries(values).flatMap(([name, of]) =>
    of(old) === of(next) ? [] : [`${name}: ${shown(of(old))} in OLD, ${shown(of(next))} in NEW`],
  );
}

/** Ignores the port of a server on this machine: a test server gets another one each time. */
function targetOf({ target }: Report): string {
  if (target.embedded === true) return "the embedded reference";
  return target.baseUrl.replace(/^(https?:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])):\d+/, "$1");
}

function shown(text: string): string {
  return text === "" ? "none" : text;
}

function idsOf({ requirements }: Report): readonly string[] {
  return requirements.map(({ id }) => id);
}

function listDifference(
  what: string,
  old: readonly string[],
  next: readonly string[],
): readonly string[] {
  const onlyIn = (some: readonly string[], others: readonly string[], side: string): string[] => {
    const rest = some.filter((item) => !others.includes(item));
    return rest.length === 0 ? [] : [`${what} only in ${side}: ${rest.join(", ")}`];
  };
  return [...onlyIn(old, next, "OLD"), ...onlyIn(next, old, "NEW")];
}

/** Finds requirements with a changed sentence or level: the same id then means another requirement. */
function wordings(old: Report, next: Report): readonly string[] {
  const before = new Map(old.requirements.map(({ id, text, level }) => [id, `${level} ${text}`]));
  const changed = next.requirements
    .filter(({ id, text, level }) => before.has(id) && before.get(id) !== `${level} ${text}`)
    .map(({ id }) => id);
  return changed.length === 0 ? [] : [`requirements with another wording: ${changed.join(", ")}`];
}
