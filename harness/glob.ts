/** Whether a text matches a glob, in which `*` stands for any characters. Letter case does not matter. */
export function matchesGlob(text: string, glob: string): boolean {
  const parts = glob
    .split("*")
    .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join(".*")}$`, "is").test(text);
}
