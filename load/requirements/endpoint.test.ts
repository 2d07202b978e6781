import { expect, onTestFinished, test } from "vitest";

import { capabilities } from "../../openapi/index.ts";
import { startReference } from "../../reference/index.ts";
import { Stand } from "./stand.ts";

test.each(["status", "stream"] as const)(
  "%s reads a job that is there, though a purge has removed the one before",
  async (operation) => {
    const reference = await startReference();
    const { baseUrl, controlUrl = "" } = reference;
    const stand = new Stand({ baseUrl, controlUrl, capabilities });
    onTestFinished(async () => {
      await stand.close();
      await reference.stop();
    });
    // Nobody takes the job, as where all workers are busy or none has come.
    const endpoint = await stand.endpoint({ workers: 0 });
    expect((await endpoint.send(operation, 1)).words).toBe("1 × 200");
    expect((await endpoint.send("purge-queue", 1)).words).toBe("1 × 200");
    expect((await endpoint.send(operation, 2)).words).toBe("2 × 200");
  },
);
