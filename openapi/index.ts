export type { components as controlComponents } from "./generated/control-api.ts";
export type { components, paths } from "./generated/job-api.ts";
export { validators } from "./generated/validators.ts";

export {
  capabilities,
  controlCapabilities,
  isJobKind,
  isOfControl,
  jobKinds,
} from "./capabilities.ts";
export type { Capability, JobKind } from "./capabilities.ts";
export { describeError, describeErrors, keyOf, settingProblems } from "./describe-errors.ts";
export type { Wording } from "./describe-errors.ts";
export {
  answerSchema,
  cappedTiers,
  isOperationName,
  isOptionalOperation,
  operationNamed,
  operations,
  pathOf,
  tierOf,
  tiers,
  windowMs,
} from "./operations.ts";
export type {
  CappedTier,
  Operation,
  OperationName,
  RateLimit,
  SubmitOperation,
  Tier,
} from "./operations.ts";
export { profileNames, profiles } from "./profiles.ts";
export type { Profile } from "./profiles.ts";
export {
  areas,
  catalogueIdentity,
  idsOfProfile,
  isOfLoad,
  isRequirementId,
  levels,
  requirementIds,
  requirements,
} from "./requirements.ts";
export type { Area, Level, Requirement, RequirementId } from "./requirements.ts";
export type {
  JobStatus,
  SchemaError,
  SchemaName,
  Schemas,
  Validator,
  Validators,
} from "./schemas.ts";
