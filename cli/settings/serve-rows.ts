import { duration } from "./expected-values.ts";
import { flag, integer, list, text } from "./option-row.ts";
import { latencyPattern, positiveDurationPattern } from "./duration.ts";

/** The options of \`serve\` alone. */
export const serveRows = {
  port: integer(
    "--port <n>",
    "the port to listen on, 0 for any free one (default: 0)",
    [0, 65_535],
  ),
  host: text("--host <name>", "the address to listen on (default: 127.0.0.1)", {
    expects: "a host name or address to listen on",
  }),
  allowHost: list(
    "--allow-host <name>",
    "a name besides localhost under which clients on this machine may ask for it; repeatable",
    { pattern: "^[\\w.-]+$", expects: "the name of a host" },
  ),
  real: flag("--real", "three workers for the default endpoint, on a real clock"),
  noControl: flag("--no-control", "offer no control protocol and no page"),
  webhookTo: list(
    "--webhook-to <where>",
    "where webhooks may go: any, loopback, or hosts; repeatable (default: any, see the docs)",
    { pattern: "^[\\w.:-]+$", expects: "any, loopback, or the name or address of a host" },
  ),
  handler: text(
    "--handler <file>",
    "what the built-in workers do: a JSON table of inputs, or a module with a function",
    { expects: "the path of a JSON file or a module" },
  ),
  worker: text(
    "--worker <which>",
    "who works: built-in (default), external workers of the Python package runpod, or a command that starts one",
    { expects: "built-in, external or a command such as 'python -u handler.py'" },
  ),
  workerSilence: text(
    "--worker-silence <duration>",
    "how long an external worker may be silent before its job is lost (default: 40s)",
    { pattern: positiveDurationPattern, expects: "a duration of more than 0, such as 5s or 40s" },
  ),
  fault: list("--fault <name>", "start it broken on purpose, by a named fault; repeatable", {
    expects: "the name of a fault of the reference",
  }),
  listFaults: flag("--list-faults", "print the faults there are"),
  workers: text(
    "--workers <n>",
    "workers of the default endpoint, or a range to scale in: 0-5; of a program its processes (default: 1)",
    {
      pattern: String.raw`^\d{1,6}(?:-\d{1,6})?$`,
      expects: "a number of workers such as 3, or a range to scale in such as 0-5",
    },
  ),
  allowance: integer(
    "--allowance <n>",
    "requests in 10 s for each running worker, where that is more than the limit",
    [0, 1_000_000_000],
  ),
  endpoints: text("--endpoints <file>", "a JSON file of endpoints, in place of the default one", {
    expects: "the path of a file of endpoints",
  }),
  speed: integer(
    "--speed <n>",
    "how many times faster than the wall's the clocks run (default: 1)",
    [1, 100_000],
  ),
  latency: text(
    "--latency <duration>",
    "hold every answer back for so long: 50ms, or at random within 20ms-200ms",
    { pattern: latencyPattern, expects: "a duration such as 50ms, or a range such as 20ms-200ms" },
  ),
  failRate: text(
    "--fail-rate <share>",
    "answer this share of the requests 500 and do nothing: 5% or 0.05",
    {
      pattern: String.raw`^(?:0?\.\d{1,6}|0|1|\d{1,3}(?:\.\d{1,3})?%)$`,
      expects: "a share such as 5% or 0.05",
    },
  ),
  state: text(
    "--state <file>",
    "keep jobs and endpoints in this file, so that they survive a restart",
    { expects: "the path of a file" },
  ),
  stopWithin: text(
    "--stop-within <duration>",
    "how long requests under way may take after Ctrl-C or SIGTERM (default: 5s)",
    duration,
  ),
};
