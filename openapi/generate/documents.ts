import { readFile } from "node:fs/promises";

import { parse } from "yaml";

export type Json = null | boolean | number | string | readonly Json[] | DocumentObject;
export interface DocumentObject {
  readonly [name: string]: Json;
}

export const folderUrl = new URL("../", import.meta.url);

/** Reads one of the folder's YAML documents. Throws where it is no mapping. */
export async function readDocument(name: string): Promise<DocumentObject> {
  const text = await readFile(new URL(name, folderUrl), "utf8");
  return objectAt(parse(text), name);
}

/** A value that has to be an object; throws with the place where it is none. */
export function objectAt(value: unknown, place: string): DocumentObject {
  if (!isObject(value)) throw new TypeError(`${place} must be a mapping`);
  return value;
}

/** A value that has to be a string; throws with the place where it is none. */
export function stringAt(value: unknown, place: string): string {
  if (typeof value !== "string") throw new TypeError(`${place} must be a string`);
  return value;
}

/** A list of strings, empty where it is absent; throws with the place where it is something else. */
export function stringsAt(value: unknown, place: string): readonly string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new TypeError(`${place} must be a list`);
  return value.map((item, index) => stringAt(item, `${place}/${index}`));
}

export function isObject(value: unknown): value is DocumentObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
