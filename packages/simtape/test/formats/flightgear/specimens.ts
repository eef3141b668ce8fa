import { readFileSync } from "node:fs";
import { gunzipSync } from "fflate";
import { flightgear } from "../../../src/formats/flightgear/format.ts";
import type { FlightGearReader } from "../../../src/formats/flightgear/read/reader.ts";
import type { MessageBatch, Reader } from "../../../src/index.ts";
import { Findings } from "../../../src/model/error.ts";
import { bundleOfFiles } from "../../conformance/mutate.ts";
import { gzipped, makeContinuous, makeFirstLayout, makeNormal, makeRecovery } from "../../fixtures/flightgear/make.ts";
import { sampleBytes, sampleNames } from "../../samples.ts";

/** A sound tape, and its name. */
export type NamedTape = readonly [name: string, bytes: Uint8Array];

export const MADE: readonly NamedTape[] = [
  ["continuous", makeContinuous()],
  ["continuous, compressed", makeContinuous({ compression: "1" })],
  ["continuous, compressed, header silent", makeContinuous({ compression: null, isDeflated: true })],
  ["continuous, in Unix time", makeContinuous({ shift: 1_795_214_002.2 })],
  ["continuous, without filler", makeContinuous({ filler: 0 })],
  ["continuous, multiplayer only", makeContinuous({ data: ["multiplayer"], frames: 39 })],
  ["continuous, extra properties first", makeContinuous({ data: ["extra-properties", "signals"] })],
  ["continuous, no frames", makeContinuous({ frames: 0 })],
  ["continuous, first layout", makeFirstLayout()],
  ["recovery", makeRecovery()],
  ["normal 1", gzipped(makeNormal({ generation: 1 }))],
  ["normal 2", gzipped(makeNormal({ generation: 2 }))],
  ["normal 2, multiplayer", gzipped(makeNormal({ generation: 2, packets: "counted" }))],
  ["normal 3", gzipped(makeNormal({ generation: 3 }))],
  ["normal 3, not gzipped", makeNormal({ generation: 3 })],
  ["normal 3, multiplayer", gzipped(makeNormal({ generation: 3, packets: "listed" }))],
  ["normal 3, empty", gzipped(makeNormal({ generation: 3, frames: 0 }))],
  [
    "fixture: normal 2020.3.16 with two pilots",
    new Uint8Array(readFileSync(new URL("../../fixtures/flightgear/c172p-normal-mp.fgtape", import.meta.url))),
  ],
];

/** Recorded by real FlightGear; none where there are no samples. */
export const REAL: readonly NamedTape[] = sampleNames("flightgear")
  .filter((name) => name.endsWith(".fgtape") && !name.includes("crashed"))
  .map((name) => [name, sampleBytes(`flightgear/${name}`)]);

/** Opens a tape as the format does, with what it found wrong. */
export async function readerOf(bytes: Uint8Array, findings: Findings = new Findings()): Promise<FlightGearReader> {
  return (await flightgear.open(bundleOfFiles({ "a.fgtape": bytes }), findings, {})) as FlightGearReader;
}

/** Content of a tape: the inflated stream of a gzipped one. */
export function contentOf(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0x1f ? gunzipSync(bytes) : bytes;
}

export interface Row {
  readonly channel: string;
  readonly time: number;
  readonly payload: string;
}

/** Every message in order, payloads as hexadecimal text. */
export async function rowsOf(reader: Reader): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const batch of reader.batches({})) rows.push(...rowsIn(batch, reader));
  return rows;
}

function rowsIn(batch: MessageBatch, { channels }: Reader): Row[] {
  return Array.from({ length: batch.length }, (_, i) => ({
    channel: channels[batch.channel[i]!]!.name,
    time: batch.time[i]!,
    payload: Buffer.from(batch.payload(i)).toString("hex"),
  }));
}
