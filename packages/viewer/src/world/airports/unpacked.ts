/** What is packed with gzip without it, and everything else as it is. Rejects with `Error` where it is damaged. */
export async function* unpacked(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const source = pieces[Symbol.asyncIterator]();
  const first = await firstOf(source);
  if (first[0] !== 0x1f || first[1] !== 0x8b) {
    yield first;
    for (let next = await source.next(); next.done !== true; next = await source.next()) yield next.value;
    return;
  }
  const packed = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(first),
    pull: async (controller) => {
      const { done, value } = await source.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  });
  const gunzip = new DecompressionStream("gzip") as unknown as ReadableWritablePair<Uint8Array, Uint8Array>;
  const reader = packed.pipeThrough(gunzip).getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } catch {
    throw new Error("what gzip has packed is damaged or cut");
  }
}

/** Two bytes at least, where there are as many. */
async function firstOf(source: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  const first: number[] = [];
  while (first.length < 2) {
    const { done, value } = await source.next();
    if (done === true) break;
    if (first.length === 0 && value.length >= 2) return value;
    first.push(...value);
  }
  return Uint8Array.from(first);
}
