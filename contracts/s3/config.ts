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
