/** A key that a check made up. Reports show it as it is; where it was made from the real key, they say how. */
export type MadeUpKey =
  | { readonly kind: "own"; readonly text: string }
  | { readonly kind: "swapped" }
  | {
      readonly kind: "edited";
      readonly cut: KeyCut;
      readonly before: string;
      readonly after: string;
    };

/** Which character of the real key is missing. */
export type KeyCut = "none" | "first" | "last";

/** A part of a key that is no longer than this may stand in any text by chance. */
const charactersMin = 3;

/** Describes a made-up key by how it differs from the real one. */
export function madeUpKeyOf(sent: string, real: string | undefined): MadeUpKey {
  if (real === undefined || real.length <= charactersMin) return { kind: "own", text: sent };
  if (sent === swappedCase(real)) return { kind: "swapped" };
  const kept = { none: real, first: real.slice(1), last: real.slice(0, -1) };
  for (const cut of ["none", "first", "last"] as const) {
    const at = sent.indexOf(kept[cut]);
    if (at === -1) continue;
    return {
      kind: "edited",
      cut,
      before: sent.slice(0, at),
      after: sent.slice(at + kept[cut].length),
    };
  }
  return { kind: "own", text: sent };
}

/** Small letters for capitals, and the other way round. */
export function swappedCase(text: string): string {
  return text.replaceAll(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}
