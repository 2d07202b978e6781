import { expect, test } from "vitest";

import { withoutRunnerCommands } from "./runner-commands.ts";

test.each([
  ["got ##[stop-commands]x", "got # #[stop-commands]x"],
  ["x ##vso[task.setvariable variable=a]b", "x # #vso[task.setvariable variable=a]b"],
  ["##TeamCity[buildStop]", "# #TeamCity[buildStop]"],
  ["one\n  ::set-output name=a::b", "one\n  : :set-output name=a::b"],
  ["## A heading, [a link] and a::b", "## A heading, [a link] and a::b"],
])("a runner finds no command in %j", (text, shown) => {
  expect(withoutRunnerCommands(text)).toBe(shown);
});
