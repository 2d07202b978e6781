import { changed, specified } from "../../reference/behaviour.ts";
import { clientFaults, delaying, failing } from "../../reference/client-faults.ts";
import { inDialect } from "../../reference/dialects.ts";
import { servedFaults } from "../../reference/faults.ts";
import type { Behaviour } from "../../reference/behaviour.ts";
import { unknownName } from "../did-you-mean.ts";
import type { FaultInjection } from "../settings/serve.ts";

const servable = [...clientFaults, ...servedFaults];

/**
 * Makes the server's behaviour: the dialect, then the faults in the given order, then latency and failures.
 * @throws CommandError WRONG_USAGE for an unknown fault
 */
export function behaviourOf(dialect: string, injection: FaultInjection): Behaviour {
  const { failRate, latency, seed } = injection;
  let behaviour = inDialect(dialect, specified) ?? specified;
  const changes = injection.faults.map(changeOf);
  if (latency !== undefined) changes.push(delaying(latency.fromMs, latency.toMs, seed));
  if (failRate > 0) changes.push(failing(failRate, seed));
  for (const change of changes) behaviour = changed(behaviour, change(behaviour));
  return behaviour;
}

function changeOf(name: string): ReturnType<typeof failing> {
  const fault = servable.find((each) => each.name === name);
  if (fault !== undefined) return fault.change;
  throw unknownName("fault", name, {
    known: servable.map((each) => each.name),
    hint: "Run `queueproof serve --list-faults`, and give --fault one of them.",
  });
}

/** Lists every fault with its effect: first those for testing clients, then bugs of a service. */
export function faultList(): string {
  return (
    `For testing clients, what a correct service may do to them:\n\n${lines(clientFaults)}\n` +
    `For testing checks, bugs of a service:\n\n${lines(servedFaults)}`
  );
}

function lines(rows: readonly { readonly name: string; readonly describe: string }[]): string {
  return rows.map(({ name, describe }) => `  ${name}\n      ${describe}\n`).join("");
}
