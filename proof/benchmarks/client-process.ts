import autocannon from "autocannon";
import { Client } from "undici";

import { rulesFor } from "../../client/request-rules.ts";
import { fireBurst } from "../../load/autocannon/burst.ts";
import { Pool } from "../../load/probe/pool.ts";
import { serialise } from "../../load/probe/request.ts";

/** Sends `amount` requests on `connections` connections by one of the clients. */
type Sender = (url: URL, amount: number, connections: number) => Promise<void>;

const senders: Readonly<Record<string, Sender>> = {
  probe: async (url, amount, connections) => {
    const rules = rulesFor({ baseUrl: url.origin });
    const pool = new Pool(new URL(url.origin), rules, { connectionsMax: connections });
    const request = serialise({ method: "GET", url: url.href, headers: {} }, rules);
    const exchanges = await pool.burst(Array.from({ length: amount }, () => request));
    demand(exchanges.filter(({ answer }) => answer?.status === 200).length, amount);
    pool.close();
  },
  undici: async (url, amount, connections) => {
    const clients = Array.from({ length: connections }, () => new Client(url.origin));
    let left = amount;
    let answered = 0;
    await Promise.all(
      clients.map(async (client) => {
        while (left > 0) {
          left -= 1;
          await dispatched(client, url.pathname);
          answered += 1;
        }
        await client.close();
      }),
    );
    demand(answered, amount);
  },
  autocannon: async (url, amount, connections) => {
    const result = await autocannon({ url: url.href, amount, connections });
    demand(result["2xx"], amount);
  },
  "autocannon driver": async (url, amount, connections) => {
    const request = { method: "GET", path: url.pathname, headers: {} } as const;
    const rules = rulesFor({ baseUrl: url.origin });
    const common = { rules, origin: url.origin, request, amount, connections };
    const { accepted } = await fireBurst({ ...common, timeLimitMs: 60_000 });
    demand(accepted, amount);
  },
};

/** Sends a request in the cheapest way that undici has; the body is read, as the other clients do. */
function dispatched(client: Client, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = "";
    client.dispatch(
      { method: "GET", path },
      {
        onRequestStart: () => undefined,
        onResponseStart: () => undefined,
        onResponseData: (_controller, chunk) => void (text += chunk.toString("utf8")),
        onResponseEnd: () => (text === "" ? reject(new Error("an empty answer")) : resolve()),
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}

function demand(answered: number, amount: number): void {
  if (answered !== amount) throw new Error(`${answered} of ${amount} requests were answered`);
}

/** Warms up, then tells the parent the CPU time and the wall time that the requests took. */
async function measure(name: string, url: URL, amount: number): Promise<void> {
  const send = senders[name];
  if (send === undefined) throw new RangeError(`there is no client called ${name}`);
  const connections = 50;
  await send(url, Math.ceil(amount / 4), connections);
  const before = process.cpuUsage();
  const beganMs = performance.now();
  await send(url, amount, connections);
  const wallMs = performance.now() - beganMs;
  const { user, system } = process.cpuUsage(before);
  process.send?.({ cpuUsPerRequest: (user + system) / amount, wallMs });
  process.disconnect();
}

const [, , name = "", url = "", amount = "0"] = process.argv;
await measure(name, new URL(url), Number(amount));
