import type { Capability } from "../openapi/capabilities.ts";
import { isLoopback } from "../client/endpoint-address.ts";
import { CommandError } from "./errors.ts";
import type { Io } from "./io.ts";
import { loadPlan, loadPlanText } from "./load-plan.ts";
import type { ContractCommandSettings } from "./settings/contract.ts";
import { askYesOrNo } from "./terminal-input.ts";

/**
 * Asks before load is sent to another machine, and shows the plan.
 * @throws CommandError WRONG_USAGE
 */
export async function demandConsent(settings: ContractCommandSettings, io: Io): Promise<void> {
  const { target } = settings;
  if (target === undefined || isLoopback(target.baseUrl)) return;
  const plan = loadPlanText(loadPlan(settings));
  await demandAgreement({ ...settings, address: target.baseUrl, what: "load", plan }, io);
}

export interface AgreedSending {
  readonly address: string;
  /** What would be sent, as "load". */
  readonly what: string;
  readonly plan: string;
  readonly capabilities: readonly Capability[];
  readonly yes: boolean;
}

/**
 * Lets something be sent to another machine only if the owner allows it (--capability load) and somebody agrees to the
 * plan, at the terminal or by --yes. Only a loopback address counts as this machine, because a name may lead elsewhere
 * tomorrow.
 * @throws CommandError WRONG_USAGE
 */
export async function demandAgreement(
  { address, what, plan, capabilities, yes }: AgreedSending,
  io: Io,
): Promise<void> {
  if (isLoopback(address)) return;
  const would = `${what} would be sent to ${address}`;
  if (!capabilities.includes("load")) {
    throw refusal(would, plan, "Give --capability load where its owner allows that.");
  }
  const told = `${what.charAt(0).toUpperCase()}${what.slice(1)} on ${address}: ${plan}\n`;
  if (yes) {
    io.write(told);
    return;
  }
  if (io.input === undefined) {
    throw refusal(would, plan, "Give --yes to send it; --dry-run shows the whole plan.");
  }
  io.write(told);
  if (await askYesOrNo(io.input, "Send it?")) return;
  throw new CommandError("WRONG_USAGE", "nothing was sent: the plan was not agreed to");
}

function refusal(would: string, plan: string, hint: string): CommandError {
  return new CommandError("WRONG_USAGE", would, { problems: plan.split("\n"), hint });
}
