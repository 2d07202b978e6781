import { X509Certificate } from "node:crypto";

import { generate } from "selfsigned";

/** A certificate and its key, as PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** An authority that no system knows, a server's certificate that it signed, and a client's. */
export interface Certificates {
  readonly ca: string;
  readonly server: KeyPair;
  readonly client: KeyPair;
}

const authorityName = "an authority of queueproof";

/** Whether a PEM file holds an authority that `certificatesFor` has made, and nothing else. */
export function isOwnAuthority(pem: string): boolean {
  if (pem.split("-----BEGIN ").length !== 2) return false;
  try {
    return new X509Certificate(pem).subject === `CN=${authorityName}`;
  } catch {
    return false;
  }
}

/** Makes these certificates for a server of these names. */
export async function certificatesFor(...hosts: readonly string[]): Promise<Certificates> {
  const authority = await generate([{ name: "commonName", value: authorityName }], {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const ca = { cert: authority.cert, key: authority.private };
  return {
    ca: ca.cert,
    server: await signed(ca, hosts[0] ?? "", hosts),
    client: await signed(ca, "a client", []),
  };
}

async function signed(ca: KeyPair, name: string, hosts: readonly string[]): Promise<KeyPair> {
  const altNames = hosts.map((host) =>
    /^[\d.]+$/.test(host) ? ({ type: 7, ip: host } as const) : ({ type: 2, value: host } as const),
  );
  const { cert, private: key } = await generate([{ name: "commonName", value: name }], {
    keyType: "ec",
    algorithm: "sha256",
    ca,
    extensions: [
      { name: "basicConstraints", cA: false },
      { name: "extKeyUsage", serverAuth: true, clientAuth: true },
      ...(altNames.length === 0 ? [] : [{ name: "subjectAltName", altNames } as const]),
    ],
  });
  return { cert, key };
}
