/** Something that happens once: whoever waits for it goes on when it has happened. */
export interface Once {
  readonly happened: Promise<void>;
  readonly happen: () => void;
}

/** Promise.withResolvers, which Node 20 does not have. */
export function once(): Once {
  let happen: () => void = () => undefined;
  const happened = new Promise<void>((resolve) => {
    happen = resolve;
  });
  return { happened, happen };
}
