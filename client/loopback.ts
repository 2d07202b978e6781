import { isIPv4 } from "node:net";

/** Whether a URL leads to this machine alone. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  if (hostname === "localhost" || hostname === "[::1]") return true;
  return isIPv4(hostname) && hostname.startsWith("127.");
}
