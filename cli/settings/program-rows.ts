import { clientTasks } from "../../traffic/clients/client-tasks.ts";
import { url } from "./expected-values.ts";
import { flag, list, oneOf, text } from "./option-row.ts";

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
  receiver: text("--receiver <url>", "a receiver of webhooks to judge, in place of a program", url),
  job: list(
    "--job <id>",
    "a job that the receiver's application knows: others only show CLNT-73; repeatable",
    { expects: "the id of a job" },
  ),
};
