export { Answer, bodyOf, describeFailure, monotonicNowMs } from "./exchange.ts";
export type {
  Exchange,
  ExchangeFailure,
  FailureKind,
  ParsedBody,
  SentRequest,
} from "./exchange.ts";
export { JobClient, segmentOf } from "./job-client.ts";
export type {
  AuthorizationScheme,
  CallOptions,
  JobClientOptions,
  SendContext,
} from "./job-client.ts";
export { ControlClient, ControlError } from "./control-client.ts";
export type { ControlCall, ControlledEndpoint, EndpointOptions } from "./control-client.ts";
export { Redactor, excerpt } from "./redactor.ts";
export { secretCharactersMin, secretCharactersSafe } from "./secret-forms.ts";
export { printable } from "./printable.ts";
export type { MetDeviation, OutgoingRequest, Translation } from "./translation.ts";
export { Transport } from "./transport.ts";
export type { TransportRequest, TransportResult } from "./transport.ts";
