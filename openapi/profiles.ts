import { profileTable } from "./generated/profiles.ts";

/** A set of requirements that a server can conform to by itself. Every requirement is in one. */
export type Profile = keyof typeof profileTable;

/** Every profile with what it is about, in the order of the catalogue. */
export const profiles: Readonly<Record<Profile, string>> = profileTable;

export function isProfile(text: string): text is Profile {
  return Object.hasOwn(profiles, text);
}

export const profileNames: readonly Profile[] = Object.keys(profiles).filter(isProfile);
