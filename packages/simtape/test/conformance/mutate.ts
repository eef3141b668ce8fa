import fc from "fast-check";
import {
  type ByteSource,
  LayoutError,
  memory,
  open,
  type Recording,
  RecordingError,
  type SourceBundle,
} from "../../src/index.ts";

/** Files in memory as a bundle; the first is the main one. */
export function bundleOfFiles(files: Readonly<Record<string, Uint8Array>>): SourceBundle {
  const main = Object.keys(files)[0]!;
  return {
    name: main,
    open: async (name: string = main): Promise<ByteSource | null> => {
      const bytes = files[name];
      return bytes === undefined ? null : memory(bytes, name);
    },
  };
}

/** Reads everything there is; only a typed error or findings may come of it. */
export async function readsOrRefuses(files: Readonly<Record<string, Uint8Array>>): Promise<void> {
  let recording: Recording;
  try {
    recording = await open(bundleOfFiles(files));
  } catch (error) {
    if (RecordingError.is(error)) return;
    throw error;
  }
  try {
    for await (const batch of recording.batches()) {
      for (let i = 0; i < batch.length; i++) {
        const { schema } = recording.channels[batch.channel[i]!]!;
        decodeOrLayoutError(() => schema.decode(batch.payload(i), batch.context));
      }
    }
    const { start, end } = await recording.timeline();
    await recording.state(start + (end - start) / 2);
    await recording.statistics();
    for await (const _ of recording.records());
  } catch (error) {
    if (!RecordingError.is(error)) throw error;
  } finally {
    await recording.close();
  }
}

export function decodeOrLayoutError(decode: () => unknown): void {
  try {
    decode();
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
  }
}

export type Mutation = {
  readonly kind: "flip" | "extreme" | "cut" | "insert" | "remove" | "zero" | "copy" | "noise" | "repeat" | "number";
  readonly at: number;
  readonly value: number;
};

export function mutation(length: number): fc.Arbitrary<Mutation> {
  // Half of the places lie in the first kilobyte, where headers are.
  const at = fc.oneof(fc.nat(Math.max(0, length - 1)), fc.nat(Math.min(1024, Math.max(0, length - 1))));
  const kind = fc.constantFrom<Mutation["kind"]>("flip", "extreme", "cut", "insert", "remove", "zero", "copy", "noise");
  return fc.record({ kind, at, value: fc.nat(0xffff) });
}

/** Numbers at the ends of what times, lengths and counts are written as, each as the bytes of a file. */
const NUMBERS: readonly Uint8Array[] = [false, true].flatMap((isLittle) => [
  ...[0n, 1n, -1n, 2n ** 31n - 1n, 2n ** 31n, 2n ** 32n, 2n ** 53n, 2n ** 62n, 2n ** 63n - 1n, 2n ** 63n].map((value) =>
    made(8, (view) => view.setBigInt64(0, BigInt.asIntN(64, value), isLittle)),
  ),
  ...[1e-300, 1e11, -1e11, 9e6, 1e18, 1e300, Number.NaN, Number.POSITIVE_INFINITY, -0].map((value) =>
    made(8, (view) => view.setFloat64(0, value, isLittle)),
  ),
  ...[0, 1, -1, 0x7fff, 0xffff, 0x7fff_ffff, 0x8000_0000, 1 << 26].map((value) =>
    made(4, (view) => view.setInt32(0, value, isLittle)),
  ),
]);

function made(size: number, put: (view: DataView) => void): Uint8Array {
  const bytes = new Uint8Array(size);
  put(new DataView(bytes.buffer));
  return bytes;
}

/** As `mutation`, with parts that are there twice, and extreme numbers, also right behind `places`, where records begin. */
export function wildMutation(length: number, places: readonly number[]): fc.Arbitrary<Mutation> {
  const last = Math.max(0, length - 1);
  const near =
    places.length === 0
      ? fc.nat(last)
      : fc.tuple(fc.constantFrom(...places), fc.nat(48)).map(([at, by]) => Math.min(last, at + by));
  const at = fc.oneof(fc.nat(last), near);
  const kind = fc.constantFrom<Mutation["kind"]>("repeat", "number", "number", "number");
  return fc.oneof(mutation(length), fc.record({ kind, at, value: fc.nat(0xffff) }));
}

export function mutate(bytes: Uint8Array, mutations: readonly Mutation[]): Uint8Array {
  let result: Uint8Array = bytes.slice();
  for (const { kind, at, value } of mutations) {
    if (at >= result.length) continue;
    switch (kind) {
      case "flip":
        result[at] = result[at]! ^ (1 << (value & 7));
        break;
      case "extreme":
        result.fill(value & 1 ? 0xff : 0x7f, at, Math.min(result.length, at + 1 + (value & 7)));
        break;
      case "zero":
        result.fill(0, at, Math.min(result.length, at + 1 + (value & 15)));
        break;
      case "cut":
        result = result.slice(0, at);
        break;
      case "insert":
        result = concat(
          result.subarray(0, at),
          new Uint8Array(1 + (value & 63)).fill(value & 0xff),
          result.subarray(at),
        );
        break;
      case "remove":
        result = concat(result.subarray(0, at), result.subarray(Math.min(result.length, at + 1 + (value & 63))));
        break;
      case "copy": {
        // What stands elsewhere: records, or parts of them, twice or in another order.
        const from = (value * 2654435761) % result.length;
        result.copyWithin(at, from, from + 1 + (value & 127));
        break;
      }
      case "noise":
        for (let i = at, noise = value; i < Math.min(result.length, at + 1 + (value & 31)); i++) {
          noise = (Math.imul(noise, 1103515245) + 12345) >>> 0;
          result[i] = noise >>> 16;
        }
        break;
      case "repeat":
        result = concat(result.subarray(0, at + 1 + (value & 1023)), result.subarray(at));
        break;
      case "number":
        result.set(NUMBERS[value % NUMBERS.length]!.subarray(0, result.length - at), at);
        break;
      default:
        kind satisfies never;
    }
  }
  return result;
}

function concat(...parts: Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}
