import { describe, expect, test } from "vitest";

import { printable } from "../client/printable.ts";
import { hostileAnswers } from "../test/hostile/hostile-answers.ts";
import { runHostile } from "../test/hostile/hostile-run.ts";
import type { HostileRun } from "../test/hostile/hostile-run.ts";
import type { HostileServer } from "../test/hostile/hostile-server.ts";
import { hostileSockets, hostileEncryption } from "../test/hostile/hostile-sockets.ts";

const byName = (server: HostileServer): readonly [string, HostileServer] => [server.does, server];

/** Runs against a server, and expects what must hold whatever the server does. */
async function expectSoundRun(server: HostileServer): Promise<HostileRun> {
  const run = await runHostile(server);
  const { results } = run;
  const shown: readonly string[] = server.shows ?? [];
  const passed = results
    .filter(({ verdict }) => verdict === "pass")
    .flatMap(({ covers }) => covers);
  const told = results.flatMap(({ reason = "", mismatches }) => [
    reason,
    ...mismatches.flatMap(({ at, expected, got }) => [at, expected, got]),
  ]);

  expect(results.flatMap(({ harnessError }) => harnessError ?? [])).toEqual([]);
  expect(passed.filter((id) => !shown.includes(id))).toEqual([]);
  expect(results.map(({ verdict }) => verdict)).not.toContain("not-run");
  expect(told).toContainEqual(expect.stringMatching(server.says));
  expect(told.filter((text) => text !== printable(text))).toEqual([]);
  expect(told.filter((text) => text.length > 2500)).toEqual([]);
  return run;
}

describe.concurrent("a server that gives no whole answer", () => {
  const silent = [...hostileSockets, ...hostileEncryption, ...hostileAnswers].filter(
    ({ failure }) => failure !== undefined,
  );

  test.each(silent.map(byName))("%s: nothing is decided, and why", async (_, server) => {
    const { results, plain, refusedToOpen } = await expectSoundRun(server);

    expect(plain.failure?.kind).toBe(server.failure);
    expect(refusedToOpen).toMatch(/^TARGET_UNREACHABLE: /);
    expect(refusedToOpen).toMatch(server.says);
    expect(new Set(results.map(({ verdict }) => verdict))).toEqual(new Set(["inconclusive"]));
  });
});

describe.concurrent("a server that answers, but not as the API does", () => {
  const answering = [...hostileSockets, ...hostileAnswers].filter(
    ({ failure }) => failure === undefined,
  );

  test.each(answering.map(byName))(
    "%s: only what it shows passes, and why the rest does not",
    async (_, server) => {
      const { results, plain, refusedToOpen } = await expectSoundRun(server);

      expect(plain.failure).toBeUndefined();
      expect(refusedToOpen?.split(":")[0]).toBe(server.refusal);
      const failing = results.filter(({ verdict }) => verdict === "fail");
      expect(failing.length > 0).toBe(server.undecidable !== true);
    },
  );
});
