// Scenario: Up to which share of their limits do the four large operations accept everything?
// Limits: nothing refused up to 80 %, at least 90 % accepted at the limit itself, no 5xx, and the
//   slowest twentieth at most 250 ms later at the limit than at a fifth of it.
// Cost: five steps of 20 s: some 42,000 requests, 18,000 jobs, 700 requests a second at the end.
export { options, run, runsync, setup, status, stream } from "./steady-mix.ts";
