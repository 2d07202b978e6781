import { expect, test } from "vitest";

import { rulesFor } from "../../client/request-rules.ts";
import { LoadFindings } from "./findings.ts";

test("evidence shows the trace of the request, and no header of the user's", () => {
  const baseUrl = "http://127.0.0.1:9";
  const requests = { headers: { "x-gateway": "secret-of-a-gateway" } };
  const rules = rulesFor({ baseUrl, requests });
  const findings = new LoadFindings("RATE-01", { rules, startedAtMs: 0 });
  const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-00`;
  const headers = { authorization: "key-of-a-test" };
  const request = { method: "GET", url: `${baseUrl}/v2/e/health`, headers } as const;
  const body = "you sent secret-of-a-gateway and key-of-a-test";
  const answer = { status: 500, headers: {}, body, keepsAlive: true };
  const exchange = { sentMs: 1, answeredMs: 2, answer, traceparent };

  findings.equal("health", 200, 500, [{ request, apiKey: "key-of-a-test", exchange }]);

  const [evidence] = findings.evidence;
  expect(evidence?.request.headers).toEqual({
    authorization: "***",
    traceparent,
    "user-agent": rules.userAgent,
    "accept-encoding": "identity",
    "x-gateway": "***",
  });
  expect(evidence?.response?.body).toBe("you sent *** and ***");
  expect(evidence?.curl).not.toContain("traceparent");
  expect(JSON.stringify(findings.evidence)).not.toContain("secret-of-a-gateway");
});
