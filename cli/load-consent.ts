import { isLoopback } from "../client/endpoint-address.ts";
import { CommandError } from "./errors.ts";
import type { Io } from "./io.ts";
import { loadPlan, loadPlanText } from "./load-plan.ts";
import type { ContractCommandSettings } from "./settings/contract.ts";
import { askYesOrNo } from "./terminal-input.ts";

/**
 * Asks before load is sent to another machine, and shows the plan. Load is sent only if the owner allows it
 * (--capability load) and somebody agrees to the plan, at the terminal or by --yes. Only a loopback address counts as
 * this machine, because a name may lead elsewhere tomorrow.
 * @throws CommandError WRONG_USAGE
 */
export async function demandConsent(settings: ContractCommandSettings, io: Io): Promise<void> {
  const { target, capabilities, yes } = settings;
  if (target === undefined || isLoopback(target.baseUrl)) return;
  const plan = loadPlanText(loadPlan(settings));
  const would = `load would be sent to ${target.baseUrl}`;
  if (!capabilities.includes("load")) {
    throw refusal(would, plan, "Give --capability load where its owner allows that.");
  }
  const told = `Load on ${target.baseUrl}: ${plan}\n`;
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
