import { expect, test } from "vitest";

import { cappedTiers } from "../../openapi/operations.ts";
import { holdInFlight } from "./hold-in-flight.ts";
import type { InFlight } from "./in-flight.ts";
import { manyWorkers } from "./load-session.ts";
import { mostAcceptedAtOnce } from "./slots-after-refusals.ts";
import { onRealClock } from "../../test/load/on-real-clock.ts";
import { standStillFor } from "../../test/stand-still.ts";

const { sessionOf } = onRealClock();
const tier = cappedTiers.find(({ operation }) => operation === "requests");
if (tier === undefined) throw new Error("requests has a cap");
/** Longer than one more request has to have no answer to count as held. */
const longMs = 1_200;

test("a refusal that comes late takes no slot", async () => {
  const session = await sessionOf({
    transport: { delayAfterMs: (operation) => (operation === "requests" ? longMs : 0) },
  });
  expect(await mostAcceptedAtOnce(await session.endpoint(manyWorkers), tier)).toBe(tier.cap);
});

test("one more than the cap is not held because everything stood still", async () => {
  const session = await sessionOf({});
  const endpoint = await session.endpoint(manyWorkers);
  const held = await holdInFlight(endpoint, "held answers", tier);
  const putInFlight = endpoint.putInFlight.bind(endpoint);
  endpoint.putInFlight = async (...parts) => stillWhenRead(await putInFlight(...parts));
  expect(await held.tryOne()).toBe(false);
  await held.end();
  endpoint.closeFlights();
});

test("one more than the cap counts only if it is taken in twice", async () => {
  let asked = 0;
  const session = await sessionOf({
    limits: {
      inFlightMax: (operation) => {
        if (operation === "requests") asked += 1;
        return asked === tier.cap + 1 ? tier.cap + 1 : tier.cap;
      },
    },
  });
  expect(await mostAcceptedAtOnce(await session.endpoint(manyWorkers), tier)).toBe(tier.cap);
  expect(asked).toBe(2 * (tier.cap + 1));
});

/** Lets this process, and the reference in it, stand still when it is first asked whether an answer is pending. */
function stillWhenRead(flight: InFlight): InFlight {
  let isRead = false;
  return new Proxy(flight, {
    get: (target, name) => {
      if (name === "pending" && !isRead) {
        isRead = true;
        standStillFor(longMs);
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
