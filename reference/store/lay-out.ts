import type { Endpoint } from "../endpoint.ts";
import type { NewEndpoint, Service } from "../service.ts";
import type { KeptEndpoint, StateFile } from "./state-file.ts";

const DEFAULT_ENDPOINT = "default endpoint";

/**
 * Makes the wanted endpoints, with their jobs where the state file has them, then the endpoints that only the state
 * file knows. Wanted settings override stored ones. A default endpoint that is wanted without an id is the one of the
 * last time, with its keys.
 * @returns the first one wanted
 */
export function layOut(
  service: Service,
  wanted: readonly NewEndpoint[],
  state: StateFile | undefined,
): Endpoint {
  const kept = new Map(state?.load().map((each) => [each.stored.id, each]));
  const defaultId = state?.fact(DEFAULT_ENDPOINT);
  const made = wanted.map((plan, at) => {
    const id = plan.id ?? (at === 0 ? defaultId : undefined);
    return make(service, { ...plan, id }, id === undefined ? undefined : kept.get(id));
  });
  for (const each of kept.values()) {
    if (service.find(each.stored.id) === undefined) make(service, {}, each);
  }
  const [first] = made;
  if (first === undefined) throw new Error("at least one endpoint has to be wanted");
  state?.setFact(DEFAULT_ENDPOINT, first.id);
  return first;
}

function make(service: Service, plan: NewEndpoint, kept: KeptEndpoint | undefined): Endpoint {
  if (kept === undefined) return service.create(plan);
  const { stored, former } = kept;
  const endpoint = service.create({
    id: stored.id,
    apiKey: plan.apiKey ?? stored.apiKey,
    foreignKey: plan.foreignKey ?? stored.foreignKey,
    clock: plan.clock ?? stored.clock,
    speed: plan.speed ?? stored.speed,
    notBeforeMs: stored.nowMs,
    workers: plan.workers ?? stored.workers,
    allowancePerWorker: plan.allowancePerWorker ?? stored.allowancePerWorker,
    executionTimeoutMs: plan.executionTimeoutMs ?? stored.executionTimeoutMs,
    limits: plan.limits,
  });
  endpoint.restore(former);
  return endpoint;
}
