/** An address without the slashes at its end, so that paths can be put behind it. */
export function withoutTrailingSlash(url: string): string {
  return url.replace(/\/+$/, "");
}
