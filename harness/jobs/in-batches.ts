/** How many requests are under way at once where the caller does not say: below the stated caps but that of cancel. */
const batchSize = 80;

/** Calls `ask` for each item, `size` of them at once, and returns the results in the order of the items. */
export async function inBatches<Item, Seen>(
  items: readonly Item[],
  ask: (item: Item, at: number) => Promise<Seen>,
  size = batchSize,
): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  for (let start = 0; start < items.length; start += size) {
    const batch = items.slice(start, start + size);
    seen.push(...(await Promise.all(batch.map(async (item, at) => ask(item, start + at)))));
  }
  return seen;
}
