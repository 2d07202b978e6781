import { bodyOf } from "../../client/parsed-body.ts";
import { parseJson } from "../../client/parse-json.ts";
import { Redactor } from "../../client/redactor.ts";
import type { Exchange } from "../../client/exchange.ts";
import { answerOf } from "../../harness/read.ts";
import type { Expectations } from "../../harness/expect.ts";

/** An s3Config with all four fields (docs/specification.md#s3config). */
export interface S3Config {
  readonly accessId: string;
  readonly accessSecret: string;
  readonly bucketName: string;
  readonly endpointUrl: string;
}

/** An s3Config with unique values, so that each can be found again in any text. */
export function s3ConfigOf(random: () => number): S3Config {
  const mark = (): string =>
    Math.floor(random() * 0x1_0000_0000)
      .toString(16)
      .padStart(8, "0");
  return {
    accessId: `QPID${mark()}`,
    accessSecret: `qpsecret${mark()}${mark()}`,
    bucketName: `bucket-${mark()}`,
    endpointUrl: `https://storage-${mark()}.example/path?x=1`,
  };
}

/**
 * Looks for one job's secret in answers: the value of accessSecret, anywhere, also escaped or in base64 or hex, and a
 * member named s3Config (docs/specification.md#values-nobody-defined). The handler's own output is the worker's affair,
 * and holds neither.
 */
export class S3Secret {
  readonly #expect: Expectations;
  /** It finds the secret in every form from which a reader could get it back. */
  readonly #finder = new Redactor();

  constructor(expect: Expectations, secret: string) {
    this.#expect = expect;
    this.#finder.add("accessSecret", secret);
  }

  /** Records a difference where the answer holds the secret or the member, and returns the exchange. */
  expectNotIn(exchange: Exchange, at: string): Exchange {
    const answer = answerOf(exchange);
    const where = `${exchange.operation} ${at}`;
    this.#expectNoValueIn(JSON.stringify(answer.headers), `${where}, headers`);
    this.#expectNoValueIn(answer.rawText(), where);
    const parsed = bodyOf(answer);
    this.#expectNoMemberIn(parsed.ok ? parsed.value : undefined, where);
    return exchange;
  }

  /** Does the same for a text that a webhook brought. */
  expectNotInText(text: string, at: string): void {
    this.#expectNoValueIn(text, at);
    this.#expectNoMemberIn(parseJson(text), at);
  }

  #expectNoValueIn(text: string, at: string): void {
    const expected = "no value of s3Config.accessSecret";
    const isKept = this.#finder.redact(text) === text;
    this.#expect.that(isKept, { at, expected, got: text.slice(0, 400) });
  }

  #expectNoMemberIn(value: unknown, at: string): void {
    const expected = "no member named s3Config";
    this.#expect.that(!holdsS3Config(value), { at, expected, got: "one that is named so" });
  }
}

function holdsS3Config(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (!Array.isArray(value) && Object.hasOwn(value, "s3Config")) return true;
  return Object.values(value).some((member) => holdsS3Config(member));
}
