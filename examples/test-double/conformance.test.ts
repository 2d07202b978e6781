import { createReport, runContract, startReference } from "queueproof";
import { expect, test } from "vitest";

test("my server keeps what the API says of cancel", async () => {
  const server = await startReference(); // in its place: your own server
  const { baseUrl, controlUrl } = server;
  const report = createReport(await runContract({ baseUrl, controlUrl, only: ["CANC-*"] }));
  await server.stop();
  expect(report.summary.requirements).toMatchObject({ fail: 0, inconclusive: 0, pass: 6 });
});
