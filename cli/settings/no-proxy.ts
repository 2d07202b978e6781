import { BlockList, isIP } from "node:net";

import { isLoopback } from "../../client/endpoint-address.ts";

/**
 * Says whether a URL is reached without the proxy that a variable names. That is so for this machine and for entries of
 * NO_PROXY, which are separated by commas or spaces: hosts including their subdomains, with or without a port,
 * addresses, networks such as 10.0.0.0/8, or `*` for all.
 */
export function directBy(noProxy: string): (url: URL) => boolean {
  const entries = noProxy.split(/[\s,]+/).filter((entry) => entry !== "");
  return (url) => isLoopback(url.href) || entries.some((entry) => isMeant(entry, url));
}

function isMeant(entry: string, url: URL): boolean {
  if (entry === "*") return true;
  const host = url.hostname.replaceAll(/^\[|\]$/g, "").toLowerCase();
  const [network = "", prefix] = entry.split("/");
  if (prefix !== undefined) return isWithin(host, network, Number(prefix));
  const [, name = "", port] =
    /^\[?(.*?)\]?(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? [];
  const wanted = name.toLowerCase().replace(/^\*?\./, "");
  if (port !== undefined && port !== portOf(url)) return false;
  return host === wanted || (isIP(host) === 0 && host.endsWith(`.${wanted}`));
}

function isWithin(host: string, network: string, prefix: number): boolean {
  const family = isIP(network) === 6 ? "ipv6" : "ipv4";
  if (isIP(host) !== isIP(network) || isIP(host) === 0) return false;
  if (!Number.isInteger(prefix) || prefix < 0 || prefix > (family === "ipv6" ? 128 : 32))
    return false;
  const list = new BlockList();
  list.addSubnet(network, prefix, family);
  return list.check(host, family);
}

function portOf({ port, protocol }: URL): string {
  if (port !== "") return port;
  return protocol === "https:" ? "443" : "80";
}
