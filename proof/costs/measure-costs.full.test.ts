import { expect, test } from "vitest";
import { costs } from "../../contracts/generated/costs.ts";
import { measureCosts, roundedUp } from "./measure-costs.ts";

const again = "run `npm run generate:costs` and commit contracts/generated/costs.ts";

test("the committed costs are those of the checks, to a factor of two", async () => {
  const measured = await measureCosts();
  expect(
    measured.map(({ name }) => name),
    again,
  ).toEqual(Object.keys(costs).toSorted());
  const far = measured.filter(({ name, requests, jobs }) => {
    const [knownRequests = 0, knownJobs = 0] = costs[name] ?? [];
    return isFar(requests, knownRequests) || isFar(jobs, knownJobs);
  });
  expect(far, again).toEqual([]);
});

/** Small numbers may differ by chance, since a race may take one more read. */
function isFar(measured: number, known: number): boolean {
  return measured > 2 * known + 5 || known > 2 * roundedUp(measured) + 5;
}
