import type { ErrorObject } from "ajv";

import type { components as controlComponents } from "./generated/control-api.ts";
import type { components } from "./generated/job-api.ts";
import type { ControlSchemaName, JobSchemaName } from "./schema-names.ts";

/** The type of each schema that has a validator, by its name in the documents. */
export type Schemas = Pick<components["schemas"], JobSchemaName> &
  Pick<controlComponents["schemas"], ControlSchemaName>;

export type SchemaName = keyof Schemas;

/** One of the six states of a job. */
export type JobStatus = components["schemas"]["JobStatus"];

/** What a validator found wrong; the first problem only, so that a hostile body costs no more than a good one. */
export type SchemaError = ErrorObject;

/**
 * Tells whether a body is valid and, to the compiler, of which type it is.
 * `errors` belongs to the latest call: read it before the next.
 */
export interface Validator<Body> {
  (body: unknown): body is Body;
  readonly errors?: readonly SchemaError[] | null;
}

export type Validators = { readonly [Name in SchemaName]: Validator<Schemas[Name]> };
