import { onTestFinished } from "vitest";

import { ControlClient } from "../../client/control-client.ts";
import { JobClient } from "../../client/job-client.ts";
import { Redactor } from "../../client/redactor.ts";
import { Transport } from "../../client/transport.ts";
import { rulesFor } from "../../client/request-rules.ts";
import { startReference } from "../../reference/start-reference.ts";
import type { Behaviour } from "../../reference/behaviour.ts";
import { tierOf } from "../../openapi/operations.ts";
import type { OperationName } from "../../openapi/operations.ts";
import type { EngineFinding } from "../../load/result.ts";
import { startFront } from "../fronts/start-front.ts";
import type { Mood } from "../fronts/moods.ts";
import { runAutocannonRate } from "../../load/autocannon/rate.ts";

/** What stands between the burst and the reference. */
interface Between {
  readonly idOf?: (endpointId: string) => string;
  readonly mood?: Mood;
}

/** What the burst of an operation finds on a reference of that behaviour, on a virtual clock. */
export async function burstOnReference(
  operation: OperationName,
  behaviour: Behaviour,
  { idOf = (endpointId) => endpointId, mood }: Between = {},
): Promise<EngineFinding> {
  const reference = await startReference({ behaviour });
  onTestFinished(() => reference.stop());
  const front = mood === undefined ? undefined : await startFront(reference.baseUrl, mood);
  onTestFinished(() => front?.stop());
  const { baseUrl } = front ?? reference;
  const { controlUrl } = reference;
  const transport = new Transport(rulesFor({ baseUrl, controlUrl }));
  onTestFinished(() => transport.close());
  const control = new ControlClient(transport, controlUrl ?? "");
  return runAutocannonRate(tierOf(operation), {
    freshClient: async () => {
      const { endpointId: madeId, apiKey } = await control.createEndpoint();
      const endpointId = idOf(madeId);
      return new JobClient({ transport, redactor: new Redactor(), baseUrl, endpointId, apiKey });
    },
  });
}
