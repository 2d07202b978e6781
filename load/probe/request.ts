/** What a request of the probe is made of. */
export interface ProbeRequest {
  readonly method: "GET" | "POST";
  /** Absolute, http or https. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request as it goes over the wire, made once and sent as often as it is needed. */
export interface WireRequest {
  readonly bytes: Buffer;
  /** Method and path. */
  readonly line: string;
  readonly origin: URL;
}

/**
 * Serialises a request of HTTP/1.1 on a connection that is kept.
 * @throws TypeError where the URL or a header cannot stand in a request.
 */
export function serialise({ method, url, headers, body }: ProbeRequest): WireRequest {
  const target = new URL(url);
  const lines = [`${method} ${target.pathname}${target.search} HTTP/1.1`, `host: ${target.host}`];
  for (const [name, value] of Object.entries(headers)) {
    if (/[\r\n]/.test(name + value)) throw new TypeError(`the header ${name} has a line break`);
    lines.push(`${name}: ${value}`);
  }
  const payload = Buffer.from(body ?? "");
  if (method === "POST") lines.push(`content-length: ${String(payload.length)}`);
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  return {
    bytes: Buffer.concat([head, payload]),
    line: `${method} ${target.pathname}`,
    origin: new URL(target.origin),
  };
}
