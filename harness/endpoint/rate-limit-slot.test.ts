import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { ControlClient } from "../../client/control-client.ts";
import { JobClient } from "../../client/job-client.ts";
import { Redactor } from "../../client/redactor.ts";
import { Transport } from "../../client/transport.ts";
import { rulesFor } from "../../client/request-rules.ts";
import type { EndpointHandle } from "./clock-modes.ts";
import { awaitRateLimitSlot } from "./rate-limit-slot.ts";
import { VirtualTime } from "./time.ts";

/** Virtual time that only remembers how much of it went by. */
class CountedTime extends VirtualTime {
  passedMs = 0;

  override async pass(ms: number): Promise<void> {
    await Promise.resolve();
    this.passedMs += ms;
  }
}

describe("awaitRateLimitSlot", () => {
  let transport: Transport;

  beforeEach(() => {
    transport = new Transport(rulesFor({ baseUrl: "http://127.0.0.1:9" }));
  });

  afterEach(async () => {
    await transport.close();
  });

  function placeOf(
    endpointId: string,
  ): Pick<EndpointHandle, "api"> & { readonly time: CountedTime } {
    const common = { transport, redactor: new Redactor(), baseUrl: "http://127.0.0.1:9" };
    const control = new ControlClient(transport, "http://127.0.0.1:9/__control");
    return {
      api: new JobClient({ ...common, endpointId, apiKey: "key-of-a-test" }),
      time: new CountedTime(control, endpointId, { nowMs: 0 }),
    };
  }

  test("lets as many requests through as the limit, then waits for two windows of silence", async () => {
    const place = placeOf("one");
    await awaitRateLimitSlot(place, "purge-queue");
    await awaitRateLimitSlot(place, "purge-queue");
    expect(place.time.passedMs).toBe(0);

    await awaitRateLimitSlot(place, "purge-queue");
    expect(place.time.passedMs).toBe(20_001);

    await awaitRateLimitSlot(place, "purge-queue");
    expect(place.time.passedMs).toBe(20_001);
  });

  test("counts each endpoint by itself, and clients of one endpoint together", async () => {
    const [one, again, other] = [placeOf("one"), placeOf("one"), placeOf("other")];
    for (const place of [one, again, other, other]) await awaitRateLimitSlot(place, "purge-queue");
    expect(again.time.passedMs + other.time.passedMs).toBe(0);

    await awaitRateLimitSlot(again, "purge-queue");
    expect(again.time.passedMs).toBe(20_001);
  });

  test("never waits for an operation without a stated limit", async () => {
    const place = placeOf("one");
    for (let count = 0; count < 50; count += 1) await awaitRateLimitSlot(place, "health");
    expect(place.time.passedMs).toBe(0);
  });
});
