import { Redactor } from "../../client/redactor.ts";
import { isRequirementId } from "../../openapi/requirements.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import type { CheckResult } from "../../reports/model.ts";
import { show } from "../../harness/show.ts";
import { breach, holds, resultOfDecision, unseen } from "../decision.ts";
import type { Decision } from "../decision.ts";
import { paceRules } from "./pace-rules.ts";
import { requestRules } from "./request-rules.ts";
import type { ClientScenarioRun, Expectation, PlannedScenario } from "./scenario.ts";
import { observationOf } from "./traffic-rule.ts";
import type { TrafficRule } from "./traffic-rule.ts";

/** Every rule about requests, in the order of the catalogue. */
export const trafficRules: readonly TrafficRule[] = [...requestRules, ...paceRules];

/** What depends on the waits between requests: a driver that polls answers for them itself. */
const ofPolls: ReadonlySet<RequirementId> = new Set(["CLNT-10", "CLNT-11", "CLNT-24", "CLNT-25"]);

/** What one run shows of each requirement, as a result of the check `client/<scenario>`. */
export function resultsOf(
  run: ClientScenarioRun,
  planned: PlannedScenario,
  {
    only,
    judgesPolls,
  }: { readonly only: ReadonlySet<RequirementId>; readonly judgesPolls: boolean },
): readonly CheckResult[] {
  const redactor = new Redactor();
  redactor.add("apiKey", run.apiKey);
  const decided = { ...run, name: nameOf(planned), title: planned.scenario.about };
  const decisions: readonly (readonly [RequirementId, Decision])[] = [
    ...Object.entries(run.scenario.decides).flatMap(([id, expectation]) =>
      isRequirementId(id) ? [[id, decisionOf(run, expectation)] as const] : [],
    ),
    ["CLNT-29", keyIsNotPrinted(run)],
    ...trafficRules.map((rule) => [rule.requirement, observed(rule, run)] as const),
  ];
  return decisions
    .filter(([id]) => only.has(id) && (judgesPolls || !ofPolls.has(id)))
    .filter(([id, { kind }]) => kind !== "unseen" || Object.hasOwn(run.scenario.decides, id))
    .map(([id, decision]) => resultOfDecision(id, decision, decided, redactor));
}

/** Where the trouble came to no request, nothing was lived through: that is no pass. */
function decisionOf(run: ClientScenarioRun, expectation: Expectation): Decision {
  const decision = expectation(run);
  return run.hadTrouble || decision.kind === "breaks"
    ? decision
    : unseen("the program asked nothing that the scenario's trouble could have come to");
}

/** The results of a scenario that was left out because its task does not work at all. */
export function unrunResults(planned: PlannedScenario): readonly CheckResult[] {
  const { scenario } = planned;
  return Object.keys(scenario.decides)
    .filter(isRequirementId)
    .map((id) => ({
      name: nameOf(planned),
      title: scenario.about,
      covers: [id],
      verdict: "not-run",
      durationMs: 0,
      reason: `the program does not do the task ${scenario.task} where nothing is wrong, so that trouble would show nothing`,
      evidence: [],
    }));
}

function nameOf({ scenario, isPlain }: PlannedScenario): string {
  return `client/${scenario.name}${isPlain ? "-without-tls" : ""}`;
}

function observed(rule: TrafficRule, run: ClientScenarioRun): Decision {
  const { exchanges, routes, apiKey, origin } = run;
  const { seen, breaches } = observationOf(rule, { exchanges, routes, keys: [apiKey], origin });
  const [first] = breaches;
  if (first !== undefined) {
    const more = breaches.length > 1 ? ` (and ${breaches.length - 1} more)` : "";
    return { ...first, got: `${first.got}${more}` };
  }
  return seen > 0 ? holds : unseen(rule.shownBy);
}

function keyIsNotPrinted({ copies, apiKey }: ClientScenarioRun): Decision {
  const line = copies
    .flatMap(({ end }) => end.output.text.split("\n"))
    .find((each) => each.includes(apiKey));
  return line === undefined
    ? holds
    : breach("what was printed", "no key in it", show(line.replaceAll(apiKey, "***")));
}
