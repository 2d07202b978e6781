/** An address as others are put behind it: without the slashes at its end. */
export function withoutTrailingSlash(url: string): string {
  return url.replace(/\/+$/, "");
}
