import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "../project.ts";

/** A fenced code sample of a page. */
export interface Block {
  readonly page: string;
  readonly language: string;
  readonly text: string;
}

const pages = [
  "README.md",
  ...readdirSync(join(root, "docs"), { encoding: "utf8", recursive: true })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

/** The text of each page without its fenced samples. */
export const prose: ReadonlyMap<string, string> = new Map(
  pages.map((page) => [page, withoutSamples(pageText(page))]),
);

/** The titles of each page and of its sections. */
export const headings: ReadonlyMap<string, readonly string[]> = new Map(
  [...prose].map(([page, text]) => [
    page,
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) => title),
  ]),
);

/** Returns the anchor of a section: the part of its address after `#`. */
export function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

/** All fenced samples of README and docs, in order. */
export const blocks: readonly Block[] = pages.flatMap((page) =>
  [...pageText(page).matchAll(/^```(\w*)\n(.*?)^```/gms)].map(([, language = "", text = ""]) => ({
    page,
    language,
    text,
  })),
);

/**
 * Returns the only sample of a page in a language that contains `words`.
 * @throws Error where there is none, or more than one.
 */
export function blockWith(page: string, language: string, words = ""): Block {
  const found = blocks.filter(
    (block) => block.page === page && block.language === language && block.text.includes(words),
  );
  const [block] = found;
  if (block === undefined || found.length > 1) {
    throw new Error(`${page} has ${found.length} samples in ${language} with ${words}`);
  }
  return block;
}

/** Removes the fenced samples from a page. */
export function withoutSamples(text: string): string {
  return text.replaceAll(/^```\w*\n.*?^```/gms, "");
}

function pageText(page: string): string {
  return readFileSync(join(root, page), "utf8");
}
