type Tags = Readonly<Record<string, string>>;

/** How k6 introduces a metric, with the parts of it that thresholds ask for. */
export function metricLine(name: string, type: string, ...parts: readonly Tags[]): string {
  const submetrics = parts.map((tags) => {
    const suffix = Object.entries(tags)
      .map(([tag, value]) => `${tag}:${value}`)
      .join(",");
    return { name: `${name}{${suffix}}`, suffix, tags };
  });
  const data = { name, type, contains: "default", thresholds: [], submetrics };
  return JSON.stringify({ type: "Metric", data, metric: name });
}

/** One value as k6 writes it, `atMs` milliseconds after a fixed moment. */
export function pointLine(name: string, value: number, tags: Tags = {}, atMs = value): string {
  const time = `2026-01-01T00:00:${String(Math.floor(atMs / 1_000)).padStart(2, "0")}.${String(atMs % 1_000).padStart(3, "0")}25Z`;
  return JSON.stringify({ metric: name, type: "Point", data: { time, value, tags } });
}
