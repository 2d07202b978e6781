import type { ProgramFault } from "./client-fault.ts";
import { faultsOfRequests } from "./faults-of-requests.ts";
import { faultsOfResults } from "./faults-of-results.ts";

export const clientFaults: readonly ProgramFault[] = [...faultsOfRequests, ...faultsOfResults];
