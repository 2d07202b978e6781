import { onTestFinished } from "vitest";

import { ControlClient, JobClient, Redactor, Transport, rulesFor } from "../../../client/index.ts";
import { startReference } from "../../../reference/index.ts";
import type { Behaviour } from "../../../reference/index.ts";
import { tierOf } from "../../../openapi/index.ts";
import type { OperationName } from "../../../openapi/index.ts";
import type { EngineFinding } from "../../result.ts";
import { runAutocannonRate } from "../rate.ts";

/** What the burst of an operation finds on a reference of that behaviour, on a virtual clock. */
export async function burstOnReference(
  operation: OperationName,
  behaviour: Behaviour,
  idOf = (endpointId: string): string => endpointId,
): Promise<EngineFinding> {
  const reference = await startReference({ behaviour });
  const transport = new Transport(rulesFor(reference));
  onTestFinished(async () => {
    await transport.close();
    await reference.stop();
  });
  const control = new ControlClient(transport, reference.controlUrl ?? "");
  return runAutocannonRate(tierOf(operation), {
    freshClient: async () => {
      const { endpointId: madeId, apiKey } = await control.createEndpoint();
      const { baseUrl } = reference;
      const endpointId = idOf(madeId);
      return new JobClient({ transport, redactor: new Redactor(), baseUrl, endpointId, apiKey });
    },
  });
}
