import { expect, test } from "vitest";

import { runCommandLine } from "../program.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { realK6 } from "../../test/load/senders.ts";

const { k6, reason } = await realK6();

test.skipIf(k6 === undefined).each(["path", "install"])(
  `k6 %s prints the one that is there${reason && ` (${reason})`}`,
  async (action) => {
    const io = fakeIo({ environment: { K6_PATH: k6?.path } });

    expect(await runCommandLine(["k6", action], io)).toBe(0);
    expect(io.output()).toBe(`${k6?.path}\n`);
  },
);
