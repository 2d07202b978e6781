export { Answer, describeFailure, monotonicNowMs } from "./exchange.ts";
export { textOf } from "./content-codings.ts";
export { bodyOf } from "./parsed-body.ts";
export type {
  Exchange,
  ExchangeFailure,
  MetDeviation,
  FailureKind,
  RequestSpan,
  SentRequest,
  TransportResult,
} from "./exchange.ts";
export { isLoopback } from "./loopback.ts";
export { endpointAddressOf } from "./endpoint-address.ts";
export type { EndpointAddress } from "./endpoint-address.ts";
export { JobClient, segmentOf, waitMsMax } from "./job-client.ts";
export type {
  AuthorizationScheme,
  CallOptions,
  JobClientOptions,
  SendContext,
} from "./job-client.ts";
export { ControlClient, ControlError, isAdvance } from "./control-client.ts";
export type {
  ClockKind,
  ControlCall,
  ControlledEndpoint,
  EndpointOptions,
} from "./control-client.ts";
export { Redactor, excerpt, excerptCharactersMax } from "./redactor.ts";
export { secretCharactersMin, secretCharactersSafe } from "./secret-forms.ts";
export { parseJson } from "./parse-json.ts";
export { IncomingBytes } from "./incoming-bytes.ts";
export { mapTexts } from "./map-texts.ts";
export { printable } from "./printable.ts";
export { withoutTrailingSlash } from "./without-trailing-slash.ts";
export type { OutgoingRequest, Translation } from "./translation.ts";
export { unsendableIn } from "./sendable.ts";
export { swappedCase } from "./made-up-key.ts";
export { quoted } from "./shell-word.ts";
export { Transport, requestLineOf } from "./transport.ts";
export type { TransportRequest } from "./transport.ts";
export {
  addSecrets,
  blankTraceparent,
  commonHeaders,
  demandAllowed,
  redirectsMax,
  rulesFor,
  shownHeaders,
  writeTraceIds,
} from "./request-rules.ts";
export type { ConnectionRules, Proxy, RequestOptions, RequestRules } from "./request-rules.ts";
export { insistsOnHttp2, openSocket, proxyFor, throughPlainProxy } from "./connect.ts";
export { toolVersion } from "./tool-version.ts";
