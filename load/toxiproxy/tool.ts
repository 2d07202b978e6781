import type { GoTool } from "../go-tools/find.ts";

/** Toxiproxy, which makes the network between the harness and a target slow, or cuts it. */
export const toxiproxyTool: GoTool = {
  name: "Toxiproxy",
  binary: "toxiproxy-server",
  variable: "TOXIPROXY_PATH",
  module: "github.com/Shopify/toxiproxy/v2/cmd/server@v2.12.0",
  builtAs: "server",
  versionWord: "-version",
  // One that Go built from its module calls itself "git".
  readVersion: (said) => /^toxiproxy-server version (\S+)/m.exec(said)?.[1],
  whyUnsupported: () => undefined,
  howToGetIt: "it is built where Go is installed; TOXIPROXY_PATH names one that exists",
};
