import { describe, expect, test } from "vitest";
import { samplesDirectory } from "../../samples.ts";
import {
  aircraftAt,
  CRASH,
  exported,
  fiftyTimes,
  FLIGHT,
  madeRecording,
  opened,
  putAircraft,
  zeroOf,
} from "./support.ts";

interface Packet {
  readonly id: string;
  readonly name: string;
  readonly version?: string;
  readonly clock?: { readonly interval: string; readonly currentTime: string };
  readonly availability?: string | readonly string[];
  readonly label?: { readonly text: string };
  readonly position?: { readonly epoch: string; readonly cartographicDegrees: readonly number[] };
  readonly orientation?: { readonly epoch: string; readonly unitQuaternion: readonly number[] };
}

/** Samples of a property with a width, as CZML has them: seconds from the epoch, then the numbers. */
function samples(epoch: string, numbers: readonly number[], width: number): { time: number; cells: number[] }[] {
  expect(numbers.length % (width + 1)).toBe(0);
  const from = Date.parse(epoch);
  return Array.from({ length: numbers.length / (width + 1) }, (_, i) => ({
    time: from + numbers[i * (width + 1)]! * 1000,
    cells: numbers.slice(i * (width + 1) + 1, (i + 1) * (width + 1)),
  }));
}

/** Between two samples by the line between them, as `interpolationAlgorithm` LINEAR says. */
function interpolated(all: readonly { time: number; cells: number[] }[], time: number): number[] {
  const next = all.findIndex((one) => one.time >= time - 0.001);
  if (next <= 0) return all.at(next)!.cells;
  const [a, b] = [all[next - 1]!, all[next]!];
  const part = (time - a.time) / (b.time - a.time);
  return a.cells.map((cell, k) => cell + part * (b.cells[k]! - cell));
}

/** Degrees: from roll, pitch and heading at a place, the earth-centred directions of the nose and the right wing. */
function axesOf(latitude: number, longitude: number, [roll, pitch, heading]: readonly number[]): number[][] {
  const [f, l, r, p, h] = [latitude, longitude, roll!, pitch!, heading!].map(
    (degrees) => (degrees * Math.PI) / 180,
  ) as [number, number, number, number, number];
  const east = [-Math.sin(l), Math.cos(l), 0];
  const north = [-Math.sin(f) * Math.cos(l), -Math.sin(f) * Math.sin(l), Math.cos(f)];
  const up = [Math.cos(f) * Math.cos(l), Math.cos(f) * Math.sin(l), Math.sin(f)];
  const sum = (a: number, b: number, c: number): number[] =>
    [0, 1, 2].map((k) => a * east[k]! + b * north[k]! + c * up[k]!);
  const nose = sum(Math.cos(p) * Math.sin(h), Math.cos(p) * Math.cos(h), Math.sin(p));
  const level = sum(Math.cos(h), -Math.sin(h), 0);
  const top = [0, 1, 2].map((k) => level[(k + 1) % 3]! * nose[(k + 2) % 3]! - level[(k + 2) % 3]! * nose[(k + 1) % 3]!);
  return [nose, [0, 1, 2].map((k) => Math.cos(r) * level[k]! - Math.sin(r) * top[k]!)];
}

/** A vector turned by a quaternion x, y, z, w, by its matrix. */
function turned([x, y, z, w]: readonly number[], [a, b, c]: readonly number[]): number[] {
  return [
    (1 - 2 * (y! * y! + z! * z!)) * a! + 2 * (x! * y! - z! * w!) * b! + 2 * (x! * z! + y! * w!) * c!,
    2 * (x! * y! + z! * w!) * a! + (1 - 2 * (x! * x! + z! * z!)) * b! + 2 * (y! * z! - x! * w!) * c!,
    2 * (x! * z! - y! * w!) * a! + 2 * (y! * z! + x! * w!) * b! + (1 - 2 * (x! * x! + y! * y!)) * c!,
  ];
}

describe.skipIf(samplesDirectory === null)("CZML of real flights", () => {
  for (const name of [FLIGHT, CRASH]) {
    test(`has places and orientations of every aircraft at the times of fixes: ${name}`, async () => {
      await using recording = await opened(name);
      const { text, report } = await exported(recording, "czml");
      const packets = JSON.parse(text) as Packet[];
      expect(packets[0]).toMatchObject({ id: "document", version: "1.0" });
      const zero = await zeroOf(recording);
      let compared = 0;
      for (const time of await fiftyTimes(recording)) {
        for (const [id, place] of await aircraftAt(recording, time)) {
          const { position, orientation } = packets.find((packet) => packet.id === `aircraft/${id}`)!;
          const places = samples(position!.epoch, position!.cartographicDegrees, 3);
          // the state holds since the last sample
          const at = places.findLast((one) => one.time <= zero + time / 1e6 + 0.001)!;
          const [longitude, latitude, height] = interpolated(places, at.time) as [number, number, number];
          expect(Math.abs(latitude - place[0]!)).toBeLessThan(2e-9);
          expect(Math.abs(longitude - place[1]!)).toBeLessThan(2e-9);
          expect(Math.abs(height - place[2]!)).toBeLessThan(2e-3);
          const set = (await recording.state(time)).sets.get("aircraft")!;
          const rotation = set.columns.get("rotation")!.data as unknown as Float64Array;
          const row = set.ids.indexOf(id);
          const turn = samples(orientation!.epoch, orientation!.unitQuaternion, 4).find((one) => one.time === at.time)!;
          const [nose, right] = axesOf(place[0]!, place[1]!, [...rotation.slice(3 * row, 3 * row + 3)]);
          for (const [k, part] of turned(turn.cells, [1, 0, 0]).entries()) expect(part).toBeCloseTo(nose![k]!, 5);
          for (const [k, part] of turned(turn.cells, [0, -1, 0]).entries()) expect(part).toBeCloseTo(right![k]!, 5);
          compared++;
        }
      }
      expect(compared).toBeGreaterThanOrEqual(100);
      expect(report.notes.join()).toContain("geoid");
    });
  }
});

test("a thing is there in the intervals between which it was away", async () => {
  const recording = madeRecording({
    times: [0, 1, 2, 3].map((second) => second * 1e9),
    epoch: 0n,
    fill: (state, time) => putAircraft(state, time === 1e9 ? [] : [{ id: "a", place: [10, 20, 0], label: "A" }]),
  });
  const [document, thing] = JSON.parse((await exported(recording, "czml")).text) as [Packet, Packet];
  expect(document.clock!.interval).toBe("1970-01-01T00:00:00.000Z/1970-01-01T00:00:03.000Z");
  expect(thing.availability).toEqual([
    "1970-01-01T00:00:00.000Z/1970-01-01T00:00:00.000Z",
    "1970-01-01T00:00:02.000Z/1970-01-01T00:00:03.000Z",
  ]);
  expect(thing.label!.text).toBe("A");
  expect(thing.position!.cartographicDegrees).toEqual([0, 20, 10, 0, 2, 20, 10, 0, 3, 20, 10, 0]);
  expect(thing.orientation).toBeUndefined();
});
