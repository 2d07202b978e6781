import { describeFailure } from "../client/exchange.ts";
import { openSocket } from "../client/connect.ts";
import type { ControlError } from "../client/control-client.ts";
import type { Exchange } from "../client/exchange.ts";
import type { Transport } from "../client/transport.ts";
import { hintOnConnection } from "./before-target.ts";
import { HarnessError } from "./outcome.ts";

const wrongScheme = {
  "http:": "it speaks https, not http",
  "https:": "it speaks http, not https",
} as const;

/** The error for a target that gave no answer. It names the scheme as the cause where the other one is answered. */
export async function diagnoseUnreachable(
  baseUrl: string,
  exchange: Pick<Exchange, "failure">,
  transport: Transport,
): Promise<HarnessError> {
  const why = describeFailure(exchange);
  const { protocol, host } = new URL(baseUrl);
  const speaksTls =
    protocol === "http:" &&
    exchange.failure?.kind !== "refused" &&
    (await answersTls(host, transport));
  const told = speaksTls ? wrongScheme["http:"] : why;
  const other = protocol === "http:" ? "https" : "http";
  if (exchange.failure?.kind === "protocol" && !speaksTls) return brokenHttp(baseUrl, why);
  const isSchemeWrong = Object.values(wrongScheme).some((each) => told.includes(each));
  return new HarnessError(
    "TARGET_UNREACHABLE",
    `the target at ${baseUrl} did not answer: ${told}`,
    isSchemeWrong
      ? `Give --base-url ${other}:${baseUrl.slice(protocol.length)}`
      : (hintOnConnection(told) ?? "Start the target, or correct --base-url."),
  );
}

/** Something answers there, and a client of HTTP cannot read it. */
function brokenHttp(baseUrl: string, why: string): HarnessError {
  return new HarnessError(
    "TARGET_UNREACHABLE",
    `the target at ${baseUrl} gave ${why}`,
    "Mend that answer, of the server or of what stands in front of it, or correct --base-url.",
  );
}

const tlsAnswerMs = 3_000;

/** Whether a server speaks TLS there; an error about its certificate shows that, too. */
async function answersTls(host: string, { rules }: Transport): Promise<boolean> {
  try {
    const options = { timeoutMs: tlsAnswerMs, speaksHttp2: true };
    (await openSocket(rules, new URL(`https://${host}`), options)).destroy();
    return true;
  } catch (error) {
    return error instanceof Error && /certificate|self.signed|altname/i.test(error.message);
  }
}

/** The error for an address at which no control protocol was found. */
export function noControlError(controlUrl: string, { problem, got }: ControlError): HarnessError {
  return problem === "unanswered"
    ? new HarnessError(
        "TARGET_UNREACHABLE",
        `the control protocol at ${controlUrl} did not answer: ${got}`,
        hintOnConnection(got) ?? "Start the target, or correct --control.",
      )
    : new HarnessError(
        "TARGET_UNREACHABLE",
        `there is no control protocol at ${controlUrl}: ${problem === "refused" ? `GET was answered ${got}` : "its answer to GET does not describe one"}`,
        "Correct --control (it is often the target's address and /__control), or leave it out and give --endpoint and --api-key.",
      );
}

/** The error for an API that knows no endpoint of a control protocol at another address. */
export function twoServersError(
  { baseUrl, controlUrl }: { readonly baseUrl: string; readonly controlUrl: string },
  cause: HarnessError,
): HarnessError {
  return new HarnessError(
    "TARGET_UNREACHABLE",
    `--base-url and --control lead to two servers: ${baseUrl} does not know the endpoint that ${controlUrl} made (${cause.message})`,
    "Give the two addresses of one server, or leave out --base-url where --control ends in /__control.",
  );
}
