import { checks } from "../../contracts/checks.ts";

/**
 * The contract checks that a run with a time budget tries. What is thorough would take hours against every fault, and is
 * proved by a test of its own (contracts/model/model-check.full.test.ts).
 */
export const suiteChecks = checks.filter(({ thorough }) => thorough !== true);
