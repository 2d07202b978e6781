/** A promise and the function that resolves it. */
export interface Deferred {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

/** Makes what Promise.withResolvers makes, which Node 20 does not have. */
export function createDeferred(): Deferred {
  let settle: (() => void) | undefined;
  const promise = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: () => settle?.() };
}
