import type { Cause, Report, ReportRequirement } from "./model.ts";

/** The causes of merged reports, each by the first report that tells it, with what it stands for in the merged rows. */
export function mergeCauses(
  reports: readonly Report[],
  requirements: readonly ReportRequirement[],
): Pick<Report, "causes" | "learned"> {
  const told = new Map<string, Cause>();
  for (const cause of reports.flatMap(({ causes = [] }) => causes)) {
    if (!told.has(cause.id)) told.set(cause.id, cause);
  }
  const causes = [...told.values()]
    .map((cause) => Object.assign({}, cause, countedIn(requirements, cause.id)))
    .filter(({ checks }) => checks > 0);
  const facts = reports.flatMap(({ learned = [] }) => learned);
  const learned = facts.filter(
    ({ text }, at) => facts.findIndex((each) => each.text === text) === at,
  );
  return {
    ...(learned.length > 0 && { learned }),
    ...(causes.length > 0 && { causes }),
  };
}

function countedIn(
  requirements: readonly ReportRequirement[],
  cause: string,
): Pick<Cause, "checks" | "requirements"> {
  const under = requirements.filter(({ checks }) => checks.some((check) => check.cause === cause));
  const names = under.flatMap(({ checks }) =>
    checks.filter((check) => check.cause === cause).map(({ name }) => name),
  );
  return {
    requirements: under.filter(({ verdict }) => verdict !== "pass").map(({ id }) => id),
    checks: new Set(names).size,
  };
}
