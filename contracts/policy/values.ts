import type { Exchange } from "../../client/exchange.ts";
import { submitOperations } from "../../harness/jobs/submit.ts";
import type { Check } from "../../harness/check.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { SubmitOperation } from "../../openapi/operations.ts";
import type { RequirementId } from "../../openapi/requirements.ts";

/** One member of policy: what has to be accepted, and what has to be refused. */
interface Member {
  readonly requirement: RequirementId;
  readonly name: "executionTimeout" | "ttl" | "lowPriority";
  readonly accepted: readonly unknown[];
  readonly refused: readonly unknown[];
}

const sevenDaysMs = 604_800_000;

const members: readonly Member[] = [
  {
    requirement: "POLI-01",
    name: "executionTimeout",
    accepted: [5000, 5001, 600_000, sevenDaysMs - 1, sevenDaysMs],
    refused: [4999, sevenDaysMs + 1, ...notIntegersFrom(5000)],
  },
  {
    requirement: "POLI-02",
    name: "ttl",
    accepted: [10_000, 10_001, 86_400_000, 86_400_001, sevenDaysMs - 1, sevenDaysMs],
    refused: [9999, sevenDaysMs + 1, ...notIntegersFrom(10_000)],
  },
  {
    requirement: "POLI-03",
    name: "lowPriority",
    accepted: [true, false],
    refused: ["true", "false", "", 0, 1, [], [true], {}],
  },
];

/** Values to refuse: far outside the bounds, fractions, and other types that resemble an allowed integer. */
function notIntegersFrom(min: number): readonly unknown[] {
  // Cut to 32 bits, the last one would be the smallest allowed value.
  const farOutside = [0, 1, -1, -min, Number.MAX_SAFE_INTEGER, 2 ** 32 + min];
  return [...farOutside, min + 0.5, sevenDaysMs - 0.5, String(min), "", true, false, [min], [], {}];
}

/** Valid values of all three members, also for a policy in which only one is wrong. The ttl may be the shorter one. */
const validPolicy = { executionTimeout: 7_200_000, ttl: 3_600_000, lowPriority: true };

/** Policies with two members at a bound at once, where a service may look at one through the other. */
const bothAtBounds = [
  { executionTimeout: 5000, ttl: 10_000 },
  { executionTimeout: sevenDaysMs, ttl: sevenDaysMs },
];

/** The shortest wait: a refusal comes at once, and an accepted runsync may find no free worker. */
const runsyncOptions = { wait: 1000, timeoutMs: 10_000 };

async function submit(
  { api, jobs }: CheckContext,
  operation: SubmitOperation,
  policy: Readonly<Record<string, unknown>>,
): Promise<Exchange> {
  const body = { input: jobs.quick("policy"), policy };
  return operation === "run" ? api.run(body) : api.runsync(body, runsyncOptions);
}

/** Checks of which policy values are accepted, on each submitting operation (POLI-01, POLI-02, POLI-03). */
export const policyValueChecks: readonly Check[] = members.flatMap((member) =>
  submitOperations.flatMap((operation) => [
    acceptance(member, operation),
    refusal(member, operation),
  ]),
);

function acceptance({ requirement, name, accepted }: Member, operation: SubmitOperation): Check {
  return {
    name: `policy/${nameOf(name)}-accepted-on-${operation}`,
    title: `${operation} accepts every allowed value of policy.${name}, the bounds included`,
    covers: [requirement],
    // An unknown handler might fail the job, and a runsync whose job failed may answer 500.
    needs: operation === "run" ? [] : ["quick"],
    run: async (context) => {
      const { expect } = context;
      for (const value of accepted) {
        const at = `${operation}, ${name} ${JSON.stringify(value)}`;
        expect.accepted(await submit(context, operation, { [name]: value }), at);
      }
      expect.accepted(
        await submit(context, operation, validPolicy),
        `${operation}, a whole policy`,
      );
      for (const policy of bothAtBounds.filter((bounds) => name in bounds)) {
        const at = `${operation}, policy ${JSON.stringify(policy)}`;
        expect.accepted(await submit(context, operation, policy), at);
      }
    },
  };
}

function refusal({ requirement, name, refused }: Member, operation: SubmitOperation): Check {
  return {
    name: `policy/${nameOf(name)}-refused-on-${operation}`,
    title: `${operation} answers 400 to every value of policy.${name} outside the allowed ones`,
    covers: [requirement],
    needs: [],
    run: async (context) => {
      const { expect } = context;
      for (const value of refused) {
        const at = `${operation}, ${name} ${JSON.stringify(value)}`;
        expect.status(await submit(context, operation, { [name]: value }), 400, at);
      }
      // A wrong member has to be refused also where the other members are right.
      const mixed = { ...validPolicy, [name]: refused[0] };
      const at = `${operation}, ${name} ${JSON.stringify(refused[0])} in a whole policy`;
      expect.status(await submit(context, operation, mixed), 400, at);
    },
  };
}

function nameOf(member: Member["name"]): string {
  return member.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
