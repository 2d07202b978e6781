import { expect, test } from "vitest";

import { directBy } from "./no-proxy.ts";

test.each([
  ["", "https://api.example.com", false],
  ["", "http://127.0.0.1:8080", true],
  ["", "http://localhost", true],
  ["", "http://[::1]:8080", true],
  ["*", "https://api.example.com", true],
  ["example.com", "https://api.example.com", true],
  ["example.com", "https://EXAMPLE.com", true],
  [".example.com", "https://api.example.com", true],
  ["*.example.com", "https://api.example.com", true],
  ["example.com", "https://badexample.com", false],
  ["other.test, example.com", "https://example.com", true],
  ["example.com:443", "https://example.com", true],
  ["example.com:8443", "https://example.com", false],
  ["10.0.0.0/8", "http://10.1.2.3", true],
  ["10.0.0.0/8", "http://11.1.2.3", false],
  ["10.0.0.0/99", "http://10.1.2.3", false],
  ["10.1.2.3", "http://10.1.2.3:81", true],
  ["2.3", "http://10.1.2.3", false],
  ["fd00::/8", "http://[fd00::1]", true],
  ["fd00::1", "http://[fd00::1]:80", true],
])("NO_PROXY %j and %s: reached without a proxy: %s", (noProxy, url, isDirect) => {
  expect(directBy(noProxy)(new URL(url))).toBe(isDirect);
});
