import type { RequirementId } from "../../openapi/requirements.ts";
import { receiverCalls } from "./judge-receiver.ts";
import { shownBy } from "./judge-client.ts";
import { trafficRules } from "./results-of-run.ts";
import { clientScenarios } from "./scenarios/client-scenarios.ts";

/** What a client or a receiver is put through, as `explain` lists it. */
export const clientChecks: readonly {
  readonly name: string;
  readonly title: string;
  readonly covers: readonly RequirementId[];
  readonly needs: readonly [];
}[] = [
  ...clientScenarios.map((scenario) => ({
    name: `client/${scenario.name}`,
    title: `${scenario.about} (task ${scenario.task})`,
    covers: shownBy(scenario),
    needs: [] as const,
  })),
  {
    name: "client/*",
    title: "Every request of every scenario is looked at.",
    covers: ["CLNT-29", ...trafficRules.map(({ requirement }) => requirement)],
    needs: [],
  },
  ...receiverCalls("JOB").map(({ name, about, shows }) => ({
    name: `receiver/${name}`,
    title: about,
    covers: shows,
    needs: [] as const,
  })),
];
