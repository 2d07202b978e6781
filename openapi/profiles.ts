import { profileTable } from "./generated/profiles.ts";

/** A set of requirements that one can conform to by itself. Every requirement is in one. */
export type Profile = keyof typeof profileTable;

/** Whom a requirement judges: each has a catalogue of its own. */
export type Judged = (typeof profileTable)[Profile]["of"];

/** Every profile with what it is about, in the order of the catalogues. */
export const profiles: Readonly<Record<Profile, { readonly of: Judged; readonly about: string }>> =
  profileTable;

export function isProfile(text: string): text is Profile {
  return Object.hasOwn(profiles, text);
}

export const everyProfile: readonly Profile[] = Object.keys(profiles).filter(isProfile);

/** Whom there are catalogues of, in their order. */
export const everyJudged: readonly Judged[] = [
  ...new Set(everyProfile.map((name) => profiles[name].of)),
];

/** The profiles of servers. */
export const profileNames: readonly Profile[] = profilesThatJudge("server");

/** The profiles of those, in the order of their catalogue. */
export function profilesThatJudge(judged: Judged): readonly Profile[] {
  return everyProfile.filter((name) => profiles[name].of === judged);
}
