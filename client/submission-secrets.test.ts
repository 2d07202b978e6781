import { describe, expect, test } from "vitest";

import { Redactor } from "./redactor.ts";
import { redactSubmission } from "./submission-secrets.ts";

describe("the secrets of a submission", () => {
  test.each(["true", "false", "null"])(
    "leave a value that is a word of JSON in every text: %s",
    (bucketName) => {
      const redactor = new Redactor();

      redactSubmission({ s3Config: { accessSecret: "qpsecret01", bucketName } }, redactor);

      expect(redactor.redact(`expected false, got true, null, qpsecret01`)).toBe(
        "expected false, got true, null, ***",
      );
    },
  );

  test("still hold a value that only contains such a word", () => {
    const redactor = new Redactor();

    redactSubmission({ s3Config: { bucketName: "true-bucket" } }, redactor);

    expect(redactor.redact("in true-bucket")).toBe("in ***");
  });
});
