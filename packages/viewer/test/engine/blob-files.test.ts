import { expect, test } from "vitest";
import { type ReadableSink, isReadable } from "../../../simtape/src/io/sink/sink.ts";
import { BlobFiles } from "../../src/engine/blob-files.ts";

const MIB = 1 << 20;

/** Numbers from 0 to 1, the same in every run. */
function* randoms(): Generator<number> {
  for (let state = 12345; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

test("a file as a blob has what was written and overwritten, over all its blocks, and can be read back", async () => {
  const random = randoms();
  const next = (below: number): number => Math.floor(random.next().value! * below);
  const bytesOf = (length: number): Uint8Array => Uint8Array.from({ length }, () => next(256));
  let pauses = 0;
  const files = new BlobFiles("run.npz", async () => void pauses++);
  const sink = await files.open();
  expect(isReadable(sink)).toBe(true);
  // more blocks than are held in memory
  const expected = new Uint8Array(45 * MIB);
  let length = 0;
  while (length < 44 * MIB) {
    const bytes = new Uint8Array(next(3 * MIB)).fill(next(256));
    if (length + bytes.length > expected.length) break;
    expected.set(bytes, length);
    length += bytes.length;
    await sink.write(bytes);
  }
  expect(sink.position).toBe(length);
  for (let count = 0; count < 200; count++) {
    const at = next(length - 4096);
    const bytes = bytesOf(1 + next(4000));
    expected.set(bytes, at);
    await sink.writeAt(at, bytes);
  }
  const across = 8 * MIB - 10;
  expect(await (sink as ReadableSink).read(across, 20)).toEqual(expected.subarray(across, across + 20));
  expect(await (sink as ReadableSink).read(length - 5, 100)).toEqual(expected.subarray(length - 5, length));
  await expect(sink.writeAt(length - 1, new Uint8Array(2))).rejects.toThrow(RangeError);
  expect(files.files.size).toBe(0);
  await sink.close();
  const made = Buffer.from(await files.files.get("run.npz")!.arrayBuffer());
  expect(made.length).toBe(length);
  expect(made.equals(expected.subarray(0, length))).toBe(true);
  expect(pauses).toBeGreaterThan(200);
});

test("nothing is left of a file that was thrown away, or whose pause was called off", async () => {
  const files = new BlobFiles("a", async () => undefined);
  const sink = await files.open();
  await sink.write(new Uint8Array(10));
  await sink.abort();
  await sink.close();
  expect(files.files.size).toBe(0);
  const stopped = await new BlobFiles("b", () => Promise.reject(new Error("called off"))).open();
  await expect(stopped.write(new Uint8Array(1))).rejects.toThrow("called off");
});
