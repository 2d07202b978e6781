import type { OperationName } from "../../openapi/operations.ts";

/** How answers travel. The specification leaves nearly all of it open. */
export interface TransportBehaviour {
  /** Headers of an answer besides its content type; the operation is undefined on a path of no operation. */
  readonly headers: (
    operation: OperationName | undefined,
    status: number,
  ) => Readonly<Record<string, string>>;
  /** Real time between the arrival of a request and its taking effect. */
  readonly delayBeforeMs: (operation: OperationName) => number;
  /** Real time between the effect of a request and its answer. */
  readonly delayAfterMs: (operation: OperationName) => number;
  /** A status that answers a request before anything is done; `nowMs` is the endpoint's time. */
  readonly refuses: (operation: OperationName, nowMs: number) => number | undefined;
  readonly serialise: (body: unknown, status: number) => string | Buffer;
  /** How many bytes of a body are sent at a time; undefined sends it whole, with its length. */
  readonly pieceLength: number | undefined;
}

export const transport: TransportBehaviour = {
  headers: () => ({}),
  delayBeforeMs: () => 0,
  delayAfterMs: () => 0,
  refuses: () => undefined,
  serialise: (body) => JSON.stringify(body),
  pieceLength: undefined,
};
