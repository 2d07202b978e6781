/** Hears of every request while load is sent, so that it can be shown and stopped. */
export interface LoadMeter {
  /** @param request its method and path, such as `POST /v2/abc/run`, or what else tells which it was. */
  readonly sent: (request: string) => void;
  /** @param status of the answer; 0 where none came. */
  readonly answered: (status: number) => void;
}
