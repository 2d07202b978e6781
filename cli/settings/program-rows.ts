import { clientTasks } from "../../traffic/clients/client-tasks.ts";
import { judgedByTraffic } from "../../traffic/judged-by-traffic.ts";
import { duration, url } from "./expected-values.ts";
import { flag, integer, list, oneOf, text } from "./option-row.ts";

/** The options of the commands that judge programs of the user's. */
export const programRows = {
  tasks: list(
    "--tasks <names>",
    `what the program can do: ${clientTasks.join(", ")} (default: run)`,
    oneOf(clientTasks),
  ),
  plain: flag("--plain", "have the program ask by HTTP; default HTTPS, and refusals by both"),
  driver: text(
    "--driver <what>",
    "polls: the waits between requests are the program's own, not its library's: they are not judged",
    oneOf(["polls"]),
  ),
  record: text("--record <file>", "write every exchange to this file, as it comes", {
    expects: "the path of a file to write",
  }),
  writeMix: text(
    "--write-mix <file>",
    "write which operations the traffic has at which rates, for `load --mix`",
    { expects: "the path of a file to write" },
  ),
  recordBodies: flag("--record-bodies", "record the content of inputs and outputs as well"),
  tls: flag("--tls", "listen by HTTPS, with a certificate that --ca-out holds the authority of"),
  caOut: text("--ca-out <file>", "where the authority of that certificate is written", {
    expects: "the path of a file to write",
  }),
  soleClient: flag(
    "--sole-client",
    "nobody else uses the endpoints: counts and, with --allowance, limits are judged",
  ),
  judge: list("--judge <whom>", "server (default), client, or both", oneOf(judgedByTraffic)),
  receiver: text("--receiver <url>", "a receiver of webhooks to judge, in place of a program", url),
  tests: text(
    "--tests <file>",
    "jobs for a worker: test_input.json or .runpod/tests.json (both looked for), or a jobs file",
    { expects: "the path of a JSON file" },
  ),
  startWithin: text(
    "--start-within <time>",
    "how soon a worker asks for a job (default: 2m)",
    duration,
  ),
  runs: integer("--runs <n>", "how often each test of a worker runs (default: 2)", [1, 1000]),
  once: list("--once <names>", "tests of a worker that run once alone", {
    expects: "the name of a test",
  }),
  jobTimeout: text(
    "--job-timeout <time>",
    "the time of a worker's test that names none (default: 1m)",
    duration,
  ),
  noBadInputs: flag("--no-bad-inputs", "leave out inputs that a worker's handler cannot take"),
  job: list(
    "--job <id>",
    "a job that the receiver's application knows: others only show CLNT-73; repeatable",
    { expects: "the id of a job" },
  ),
};
