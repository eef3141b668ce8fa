import { describe, expect, test } from "vitest";
import { memory } from "../../src/index.ts";
import { readChunks } from "../../src/model/chunks.ts";
import { Findings } from "../../src/model/error.ts";
import { FlatFile, type FlatLayout, type Walk } from "../../src/model/flat.ts";
import { interpolateStates } from "../../src/model/state/interpolate.ts";
import { MutableState } from "../../src/model/state/state.ts";

/** Records of two bytes, value and count; the payload is the value, count times. A walk unpacks about 1,000 bytes. */
const RUNS: FlatLayout = {
  walk(walk: Walk): number {
    let position = walk.start;
    while (position < walk.end) {
      if (walk.unpacked.length >= 1000) return position;
      const fits = walk.fits(position, 2);
      if (fits === 0) return position;
      if (fits < 0 || walk.bytes[position]! === 0xff) {
        const to = Math.min(walk.end, position + 2);
        walk.damage(position, to, { code: "bad-frame", severity: "damage", message: "no run" });
        position = to;
        continue;
      }
      const start = walk.unpacked.length;
      for (let n = walk.bytes[position + 1]!; n > 0; n--) walk.unpacked.u8(walk.bytes[position]!);
      walk.unpackedMessage(walk.origin + position, 0, start, walk.unpacked.length);
      walk.record("run", position, position + 2);
      position += 2;
    }
    return position;
  },
};

describe("records whose payloads are packed", () => {
  const file = Uint8Array.from({ length: 2001 }, (_, i) =>
    i % 2 === 0 ? (i === 1200 ? 0xff : i % 200) : 1 + (i % 40),
  );

  test("are unpacked by scan and decode alike, a bounded amount at a time", async () => {
    const flat = await FlatFile.scan(memory(file), RUNS, { begin: 0, end: file.length }, new Findings());
    expect(flat.chunks.length).toBeGreaterThan(10);
    expect(flat.count).toBe(999);
    let place = 0;
    for await (const batch of readChunks(flat.chunks, (chunk) => flat.decode(chunk), {})) {
      for (let i = 0; i < batch.length; i++) {
        if (place === 1200) place += 2;
        expect(batch.time[i]).toBe(place);
        expect(batch.payload(i)).toEqual(new Uint8Array(file[place + 1]!).fill(file[place]!));
        place += 2;
      }
    }
    expect(place).toBe(2000);
    expect(flat.statistics(1)[0]!.messages).toBe(999);
  });

  test("come back as the file's own bytes in records", async () => {
    const flat = await FlatFile.scan(memory(file), RUNS, { begin: 0, end: file.length }, new Findings());
    const bytes: number[] = [];
    for await (const records of flat.records()) for (const record of records) bytes.push(...record.bytes);
    expect(Uint8Array.from(bytes)).toEqual(file);
  });
});

test("geodetic cells go the shorter way around the earth, and altitude in a straight line", () => {
  const at = (latitude: number, longitude: number, altitude: number) => {
    const state = new MutableState();
    const set = state.set("aircraft");
    set
      .column("geodetic", { kind: "f64", width: 3, unit: null, interpolation: "geodetic" })
      .put3(set.row("a"), latitude, longitude, altitude);
    return state.freeze();
  };
  const state = interpolateStates({ ...at(10, 179, 0), time: 0 }, { ...at(20, -179, 1000), time: 10 }, 5, () => "hold");
  expect([...(state.sets.get("aircraft")!.columns.get("geodetic")!.data as Float64Array)]).toEqual([15, 180, 500]);
});
