/** `median 1.2, 95 % 3.4, worst 5.6 ms`. */
export function summary(milliseconds: readonly number[], unit = " ms"): string {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const at = (part: number): string =>
    sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]!.toFixed(1);
  return `median ${at(0.5)}, 95 % ${at(0.95)}, worst ${at(1)}${unit}`;
}

export function median(milliseconds: readonly number[]): number {
  return milliseconds.toSorted((a, b) => a - b)[milliseconds.length >> 1]!;
}

/** Numbers from 0 to 1 that are the same in every run, evenly spread. */
export function spread(n: number): number {
  return (n * 0.618_033_988_7) % 1;
}

/** Wall and processor time of `work`, milliseconds. */
export async function timed<T>(work: () => Promise<T>): Promise<{ result: T; wall: number; processor: number }> {
  const began = performance.now();
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { result, wall: performance.now() - began, processor: (user + system) / 1000 };
}

/** Megabytes of heap and of buffers outside it, after a collection: run with `--expose-gc`. */
export function memory(): number {
  globalThis.gc!();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
}
