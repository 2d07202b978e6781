/** What the thread of the checks is sent when the run is to stop. */
export const stopMessage = "queueproof:stop";
