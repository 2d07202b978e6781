/** Something that happens once: whoever waits for it goes on when it has happened. */
export interface Once {
  readonly happened: Promise<void>;
  readonly happen: () => void;
}

/** Promise.withResolvers, which Node 20 does not have. */
export function once(): Once {
  let settle: (() => void) | undefined;
  const happened = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return { happened, happen: () => settle?.() };
}
