/** Hears of every request while load is sent, so that it can be shown and stopped. */
export interface LoadMeter {
  readonly sent: () => void;
  /** @param status of the answer; 0 where none came. */
  readonly answered: (status: number) => void;
}
