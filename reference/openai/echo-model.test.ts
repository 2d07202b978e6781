import { expect, test } from "vitest";

import { completion, completionEvents } from "./echo-model.ts";

const words = Array.from({ length: 20_000 }, (_, index) => `w${index}`);
const input = { messages: [{ role: "user", content: words.join(" ") }], stream: true };

test("a long completion is written in a few pieces, each word in an event of its own", async () => {
  const pieces: string[] = [];
  for await (const piece of completionEvents("chat.completion", input, 0)) pieces.push(piece);
  expect(pieces.length).toBeLessThan(200);
  const said = pieces
    .join("")
    .split("\n\n")
    .flatMap((event) => /"delta":\{"content":" ?(\w+)"\}/.exec(event)?.[1] ?? []);
  expect(said).toEqual(words);
});

test("a token is a word, wherever there is white space", () => {
  const usage = completion("text_completion", { prompt: " one  two\nthree " }, 0)["usage"];
  expect(usage).toEqual({ prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 });
});
