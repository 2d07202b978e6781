import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../..", import.meta.url));

/** A fenced sample of a page. */
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

/** What each page says, without its fenced samples. */
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

/** What an address of a section ends with after its `#`. */
export function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

/** Every fenced sample of README and docs, in their order. */
export const blocks: readonly Block[] = pages.flatMap((page) =>
  [...pageText(page).matchAll(/^```(\w*)\n(.*?)^```/gms)].map(([, language = "", text = ""]) => ({
    page,
    language,
    text,
  })),
);

/**
 * The one sample of a page and a language that holds `words`.
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

/** Leaves the fenced samples of a page out. */
export function withoutSamples(text: string): string {
  return text.replaceAll(/^```\w*\n.*?^```/gms, "");
}

function pageText(page: string): string {
  return readFileSync(join(root, page), "utf8");
}
