import { describe, expect, test } from "vitest";

import { causesOf, judge, told } from "../test/strangers/judge-stranger.ts";
import { kinds, kindsAlone } from "../test/strangers/kinds.ts";
import { otherConduct } from "../test/strangers/other-conduct.ts";
import { otherForms } from "../test/strangers/other-forms.ts";

/** A conforming server with exactly one departure gives exactly its causes, and no failure beyond them. */

describe.concurrent("a server with", () => {
  test.each([...kinds, ...otherForms, ...otherConduct, ...kindsAlone])(
    "$what gives that as its cause",
    async (kind) => {
      const judged = await judge([kind]);
      expect(judged, told(judged)).toEqual({ learned: causesOf([kind]), beyond: [] });
    },
  );
});
