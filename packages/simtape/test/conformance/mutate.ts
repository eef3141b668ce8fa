import fc from "fast-check";
import { LayoutError } from "../../src/bytes/error.ts";
import { memory } from "../../src/io/memory.ts";
import type { ByteSource, SourceBundle } from "../../src/io/source.ts";
import { RecordingError } from "../../src/model/error.ts";
import { openBundle } from "../../src/model/open.ts";
import type { Recording } from "../../src/model/recording.ts";
import { FORMATS } from "../formats.ts";

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
    recording = await openBundle(bundleOfFiles(files), FORMATS);
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
  readonly kind: "flip" | "extreme" | "cut" | "insert" | "remove" | "zero" | "copy" | "noise";
  readonly at: number;
  readonly value: number;
};

export function mutation(length: number): fc.Arbitrary<Mutation> {
  // Half of the places lie in the first kilobyte, where headers are.
  const at = fc.oneof(fc.nat(Math.max(0, length - 1)), fc.nat(Math.min(1024, Math.max(0, length - 1))));
  const kind = fc.constantFrom<Mutation["kind"]>("flip", "extreme", "cut", "insert", "remove", "zero", "copy", "noise");
  return fc.record({ kind, at, value: fc.nat(0xffff) });
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
      default:
        kind satisfies never;
    }
  }
  return result;
}

function concat(...parts: Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}
