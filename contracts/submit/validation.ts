import { givenJobId } from "../../harness/evidence/failing.ts";
import type { Exchange } from "../../client/exchange.ts";
import { answerOf } from "../../harness/read.ts";
import { countJobsUntil, countJobsWithControl } from "../../harness/jobs/counts.ts";
import { submitOperationsOf } from "../../harness/jobs/submit.ts";
import { submitJob } from "../../harness/jobs/fixtures.ts";
import { Inconclusive } from "../../harness/outcome.ts";
import { inputs } from "../../harness/inputs/conformance-jobs.ts";
import type { Check } from "../../harness/check.ts";
import type { SubmitOperation } from "../../openapi/operations.ts";
import type { CheckContext } from "../../harness/check-context.ts";

/** One submission that is wrong in one way. A string is sent as it is. */
interface Row {
  readonly label: string;
  readonly body: unknown;
  /** The wait of runsync, where that is the value that is wrong. */
  readonly wait?: number;
}

const input = inputs.echo("refused");
/** Nothing listens there, and nothing calls it, because the submission is refused. */
const webhook = "http://127.0.0.1:9/hook";

const withoutInput: readonly Row[] = [
  { label: "an empty object", body: {} },
  { label: "a webhook alone", body: { webhook } },
  { label: "a policy alone", body: { policy: { ttl: 60_000 } } },
  {
    label: "an s3Config alone",
    body: {
      s3Config: {
        accessId: "queueproof-id",
        accessSecret: "queueproof-secret",
        bucketName: "queueproof-bucket",
        endpointUrl: "http://127.0.0.1:9/s3",
      },
    },
  },
  // A service that refuses members it does not know refuses this one, too.
  { label: "names that are nearly input", body: nearlyInput() },
];

const wrongInputs: readonly Row[] = [
  { label: "a string", body: { input: "text" } },
  { label: "an empty string", body: { input: "" } },
  { label: "a string of JSON", body: { input: JSON.stringify(input) } },
  { label: "a number", body: { input: 1 } },
  { label: "zero", body: { input: 0 } },
  { label: "a fraction", body: { input: 1.5 } },
  { label: "true", body: { input: true } },
  { label: "false", body: { input: false } },
  { label: "null", body: { input: null } },
  { label: "an empty array", body: { input: [] } },
  { label: "an array of an object", body: { input: [input] } },
  { label: "an array of pairs", body: { input: Object.entries(input) } },
];

const text = JSON.stringify({ input });
const noSubmissions: readonly Row[] = [
  { label: "an empty body", body: "" },
  { label: "white space", body: " \n" },
  { label: "plain text", body: "no json" },
  { label: "a form", body: "input=1" },
  { label: "JSON cut short", body: text.slice(0, -1) },
  { label: "JSON cut within a string", body: '{"input":{"op":"echo' },
  { label: "text after the object", body: `${text} x` },
  { label: "a second object after the first", body: `${text}${text}` },
  { label: "a comma too many", body: '{"input":{"op":"echo","value":1},}' },
  { label: "single quotes", body: "{'input':{'op':'echo','value':1}}" },
  { label: "keys without quotes", body: '{input:{op:"echo",value:1}}' },
  { label: "a comment", body: '{"input":{"op":"echo","value":1}/* none */}' },
  { label: "NaN", body: '{"input":{"op":"echo","value":NaN}}' },
  { label: "Infinity", body: '{"input":{"op":"echo","value":Infinity}}' },
  { label: "a raw line break in a string", body: '{"input":{"op":"echo","value":"a\nb"}}' },
  { label: "undefined", body: "undefined" },
  { label: "the JSON value null", body: "null" },
  { label: "the JSON value true", body: "true" },
  { label: "a JSON number", body: "1" },
  { label: "a JSON string", body: JSON.stringify("text") },
  { label: "a JSON string of a submission", body: JSON.stringify(text) },
  { label: "an empty JSON array", body: "[]" },
  { label: "a JSON array of a submission", body: `[${text}]` },
  { label: "a comma too many in an array", body: '{"input":{"op":"echo","value":[1,]}}' },
  { label: "a number that begins with 0", body: '{"input":{"op":"echo","value":01}}' },
  {
    label: "an escape that JSON does not have",
    body: String.raw`{"input":{"op":"echo","value":"\x41"}}`,
  },
  { label: "words of Python", body: '{"input":{"op":"echo","value":[True,None]}}' },
  { label: "a form of JSON", body: `input=${encodeURIComponent(JSON.stringify(input))}` },
];

const wrongWebhooks: readonly Row[] = [
  { label: "text", body: { input, webhook: "http is not a url" } },
  { label: "a word", body: { input, webhook: "nonsense" } },
  { label: "an empty string", body: { input, webhook: "" } },
  { label: "white space", body: { input, webhook: "   " } },
  { label: "a scheme's punctuation alone", body: { input, webhook: "://" } },
  { label: "a number", body: { input, webhook: 42 } },
  { label: "zero", body: { input, webhook: 0 } },
  { label: "true", body: { input, webhook: true } },
  { label: "false", body: { input, webhook: false } },
  { label: "an object", body: { input, webhook: { url: webhook } } },
  { label: "an empty object", body: { input, webhook: {} } },
  { label: "an array of a URL", body: { input, webhook: [webhook] } },
  { label: "an empty array", body: { input, webhook: [] } },
];

const wrongOptions: readonly Row[] = [
  { label: "a policy that is no object", body: { input, policy: "none" } },
  { label: "a wrong executionTimeout", body: { input, policy: { executionTimeout: 1 } } },
  { label: "a wrong ttl", body: { input, policy: { ttl: "10000" } } },
  { label: "a wrong lowPriority", body: { input, policy: { lowPriority: "true" } } },
  { label: "an s3Config that is no object", body: { input, s3Config: "none" } },
];

/** Checks of submissions that have to be refused (SUBM-01 to 03, 06), and that they leave nothing behind (SUBM-07). */
export const validationChecks: readonly Check[] = [
  {
    name: "submit/without-input",
    title: "run and runsync without `input` answer 400",
    covers: ["SUBM-01"],
    run: async (context) => expectRefusals(context, withoutInput),
  },
  {
    name: "submit/input-not-an-object",
    title: "run and runsync with an `input` that is not a JSON object answer 400",
    covers: ["SUBM-02"],
    run: async (context) => expectRefusals(context, wrongInputs),
  },
  {
    name: "submit/body-not-a-json-object",
    title: "run and runsync with a body that is not JSON, or not a JSON object, answer 400",
    covers: ["SUBM-03"],
    run: async (context) => expectRefusals(context, noSubmissions),
  },
  {
    name: "submit/webhook-not-a-url",
    title: "run and runsync with a `webhook` that is not a URL string answer 400",
    covers: ["SUBM-06"],
    run: async (context) => expectRefusals(context, wrongWebhooks),
  },
  {
    name: "submit/webhook-of-https",
    title: "run and runsync accept a `webhook` whose scheme is https, with a query",
    covers: ["SUBM-06"],
    needs: ["quick", "webhook"],
    run: async (context) => {
      // Where the receiver speaks no TLS the calls fail, which is nothing to the job.
      const { url } = (await context.receiver()).hook();
      const body = {
        input: context.jobs.quick("https"),
        webhook: `${url.replace(/^http:/, "https:")}?key=a&b=%20`,
      };
      context.expect.accepted(await context.api.run(body), "run with a webhook of https");
      context.expect.accepted(await context.api.runsync(body), "runsync with a webhook of https");
    },
  },
  {
    name: "submit/refused-makes-no-job",
    title: "a submission answered 400 creates no job, whatever it was refused for",
    covers: ["SUBM-07"],
    exclusive: true,
    run: async (context) => {
      let known = await countJobsWithControl(context);
      let refusals = 0;
      let isWrong = false;
      for (const operation of submitOperationsOf(context)) {
        for (const row of [...refusedRows, ...(operation === "runsync" ? [wrongWait] : [])]) {
          const exchange = await submit(context, operation, row);
          // A submission that was accepted may make a job; another check judges that it was accepted.
          const isRefused = refusalStatuses.has(answerOf(exchange).status);
          const isOpen = isWrong || (!isRefused && givenJobId(exchange) === undefined);
          // A job may be counted late: one that was accepted, and, once, one too many that is not to stay.
          const counted = await countJobsUntil(
            context,
            (count) => isOpen || count > known !== isRefused,
          );
          if (isRefused) {
            refusals += 1;
            isWrong ||= counted > known;
            expectNoMore(context, counted, known, `jobs after ${operation} with ${row.label}`);
          }
          known = counted;
        }
      }
      if (refusals === 0) throw new Inconclusive("no submission was refused");
      // A refused job that is counted late is counted at the latest with a job submitted after it.
      await submitJob(context, context.jobs.quick("counted after"));
      const counted = await countJobsUntil(context, (count) => count <= known + 1);
      expectNoMore(context, counted, known + 1, "jobs after one more was accepted");
    },
  },
];

/** 400 as is due, and 422, which other checks judge and which refuses all the same. */
const refusalStatuses: ReadonlySet<number> = new Set([400, 422]);

/** A part of every kind of refusal: a target treats all rows of one kind alike. */
const refusedRows: readonly Row[] = [
  ...everyThird(withoutInput),
  ...everyThird(wrongInputs),
  ...everyThird(noSubmissions),
  ...everyThird(wrongWebhooks),
  ...wrongOptions,
];

const wrongWait: Row = { label: "a wait that is too short", body: { input }, wait: 999 };

/** Written as text: an object literal would set the prototype. */
function nearlyInput(): string {
  const written = JSON.stringify(input);
  const names = ["Input", "INPUT", " input", "inputs", "data", "args"];
  const members = names.map((name) => `${JSON.stringify(name)}:${written}`);
  return `{${members.join()},"input.op":"echo","__proto__":{"input":${written}}}`;
}

function everyThird(rows: readonly Row[]): readonly Row[] {
  return rows.filter((_, index) => index % 3 === 0);
}

async function expectRefusals(context: CheckContext, rows: readonly Row[]): Promise<void> {
  for (const operation of submitOperationsOf(context)) {
    for (const row of rows) {
      const exchange = await submit(context, operation, row);
      context.expect.status(exchange, 400, `${operation} with ${row.label}`);
    }
  }
}

/** Submits with the shortest wait, so that a target which accepts a wrong runsync is not waited for long. */
async function submit(
  { api }: CheckContext,
  operation: SubmitOperation,
  { body, wait = 1000 }: Row,
): Promise<Exchange> {
  return api[operation](body, { wait });
}

function expectNoMore({ expect }: CheckContext, counted: number, known: number, at: string): void {
  const expected = `at most ${known}`;
  expect.that(counted <= known, { at, expected, got: String(counted) });
}
