import { describe, expect, test } from "vitest";
import { startCommand } from "../../test/cli/command.ts";
import { texts } from "../../test/cli/record.ts";
import { temporaryDirectory } from "../../test/cli/temporary-directory.ts";

describe("serve", () => {
  test("prints what clients of the live service are started with, in its dialect alone", async () => {
    const [address = "", ...others] = await Promise.all(
      [["--dialect", "runpod"], []].map(async (words) => {
        const served = startCommand(["serve", ...words], temporaryDirectory());
        const [text] = await served.printed(/^[^]*Stop with Ctrl-C/);
        return text;
      }),
    );
    const lines = /^ {2}export BASE_URL='(http:\S+)\/v2' ENDPOINT='(\S+)' KEY='(\S+)'$/m;
    const [, baseUrl = "", endpointId = "", key = ""] = lines.exec(address) ?? [];
    const headers = { authorization: key };
    expect((await fetch(`${baseUrl}/v2/${endpointId}/health`, { headers })).status).toBe(200);
    expect(others.join("")).not.toContain("export BASE_URL");
  });

  test("a second signal ends it at once, whatever is under way", async () => {
    const served = startCommand(["serve", "--json", "--stop-within", "1h"], temporaryDirectory());
    const [line] = await served.printed(/^.*\n/);
    const { baseUrl, endpointId, apiKey } = texts(line);
    const url = `${baseUrl}/v2/${endpointId}`;
    const headers = { authorization: apiKey ?? "", "content-type": "application/json" };
    const body = JSON.stringify({ input: { op: "sleep", ms: 600_000 } });
    const held = fetch(`${url}/runsync`, { method: "POST", headers, body }).catch(() => "gone");
    const inProgress = async (): Promise<unknown> =>
      (await fetch(`${url}/health`, { headers })).text();
    await expect.poll(inProgress).toMatch(/"inProgress":1/);
    served.kill("SIGTERM");
    // A server that accepts no new connection has begun to stop.
    const isOpen = (): Promise<boolean> =>
      fetch(`${url}/health`, { headers }).then(
        () => true,
        () => false,
      );
    await expect.poll(isOpen).toBe(false);
    // One that comes at once is taken for the first one, which a terminal and npx each pass on.
    const again = setInterval(() => served.kill("SIGTERM"), 200);
    const { exitCode } = await served.exit;
    clearInterval(again);
    expect(exitCode).toBe(130);
    expect(await held).toBe("gone");
  });
});
