/** What a client's program can be asked to do (docs/judge-your-client.md#what-your-program-has-to-do). */
export const clientTasks = ["run", "runsync", "stream", "cancel", "retry"] as const;
export type ClientTask = (typeof clientTasks)[number];
