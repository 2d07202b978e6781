import { Ajv2020 } from "ajv/dist/2020.js";

/**
 * Compiles schemas that say in their own words what is expected (`expects`), what their keys are (`keysAre`), and
 * whether a value is secret; `settingProblems` words what it finds.
 */
export const wordedAjv = new Ajv2020({
  allErrors: true,
  verbose: true,
  // A setting may be a path or the object that the file at that path holds.
  allowUnionTypes: true,
  keywords: ["expects", "keysAre", "secret"],
  // A test validates them: to compile the schema of schemas takes longer than to compile all of ours.
  validateSchema: false,
});
