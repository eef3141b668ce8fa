import { describe, expect, it } from "vitest";
import { originAt, type Place, placesOf, type State } from "../../../src/index.ts";
import { REAL, SOUND } from "../../specimens.ts";
import { type Judged, streamed, valueIn } from "./judge.ts";
import { exported, opened } from "./make.ts";

const TIMES = 50;
/** Real recordings of no more bytes. */
const MOST = 512 << 10;
const RECORDINGS = [
  ...SOUND,
  ...REAL.filter(({ files }) => Object.values(files).reduce((sum, { length }) => sum + length, 0) < MOST),
];

interface Point {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** The last message of each topic at or before a time. */
function lastOf(messages: readonly Judged[], prefix: string, time: bigint): Map<string, ReturnType<typeof valueIn>> {
  const last = new Map<string, Judged>();
  for (const message of messages) {
    if (message.logTime > time) break;
    if (message.topic.startsWith(prefix)) last.set(message.topic.slice(prefix.length), message);
  }
  return new Map([...last].map(([topic, message]) => [topic, valueIn(message)]));
}

/** Frames that the entities of the scene at a time stand in, by entity; and the points of crowds. */
function sceneAt(
  messages: readonly Judged[],
  time: bigint,
): { entities: Map<string, Map<string, string>>; crowds: Map<string, Point[]> } {
  const entities = new Map<string, Map<string, string>>();
  const crowds = new Map<string, Point[]>();
  for (const [set, { entities: all }] of lastOf(messages, "/state/scene/", time)) {
    const own = new Map<string, string>();
    type Shape = { pose: { position: Point } };
    for (const each of all as { id: string; frame_id: string; cubes: Shape[]; spheres: Shape[]; texts: never[] }[]) {
      if (each.frame_id === "world")
        crowds.set(
          set,
          [...each.cubes, ...each.spheres].map((s) => s.pose.position),
        );
      else own.set(each.id, each.frame_id);
    }
    entities.set(set, own);
  }
  return { entities, crowds };
}

function close(found: Point, expected: Point, what: string): void {
  for (const axis of ["x", "y", "z"] as const) {
    const difference = Math.abs(found[axis] - expected[axis]);
    expect(difference, `${what} ${axis}: ${found[axis]} beside ${expected[axis]}`).toBeLessThan(
      1e-9 * Math.max(1, Math.abs(expected[axis])),
    );
  }
}

/** A cloud has the points of the scene, as floats. */
function closePoints(
  { data, point_stride: stride, fields }: ReturnType<typeof valueIn>,
  crowd: readonly Point[],
): void {
  const bytes = Buffer.from(data as string, "base64");
  expect(bytes.length).toBe(crowd.length * stride);
  const named = fields as { name: string; offset: number; type: number }[];
  expect(named.map(({ name }) => name)).toEqual(["x", "y", "z", "red", "green", "blue", "alpha"]);
  for (const [i, point] of crowd.entries()) {
    for (const { name, offset } of named.slice(0, 3))
      expect(bytes.readFloatLE(i * stride + offset)).toBe(Math.fround(point[name as keyof Point]));
    expect(bytes[i * stride + named[6]!.offset]).toBe(255);
  }
}

/** Places by hand, for a check that shares no code: null where the format's axes take more than signs. */
function byHand(format: string, set: State["sets"] extends ReadonlyMap<string, infer S> ? S : never, row: number) {
  const at = set.columns.get("position")?.data as Float64Array | undefined;
  if (at === undefined) return null;
  const [x, y, z] = [at[3 * row]!, at[3 * row + 1]!, at[3 * row + 2]!];
  // left-handed, cm, z up; right-handed, m, z up
  if (format === "carla") return { x: x / 100, y: -y / 100, z: z / 100 };
  return format === "mira" ? { x, y, z } : null;
}

describe.each(RECORDINGS.map((of) => [`${of.format}: ${of.name}`, of] as const))("%s", (_, of) => {
  it(`has the places of the state at ${TIMES} times`, async () => {
    const recording = await opened(of);
    const { bytes } = await exported(recording);
    const { messages, metadata } = await streamed(bytes);
    const about = metadata.find(({ name }) => name === "simtape")!.metadata;
    const base = BigInt(about.get("log-time-at-0")!);
    const stated = about.get("origin");
    const { latitude, longitude, altitude, heading } = JSON.parse(
      stated ?? '{"latitude":0,"longitude":0,"altitude":0,"heading":0}',
    ) as Record<"latitude" | "longitude" | "altitude" | "heading", number>;
    const { start, end } = await recording.timeline();
    let compared = 0;
    let all = 0;
    for (let n = 0; n < TIMES; n++) {
      const time = Math.floor(start + (end - start) * ((n * 0.618033988749895) % 1));
      const state = await recording.state(time);
      const logTime = base + BigInt(time);
      const frames = new Map<string, { translation: Point; rotation: Point & { w: number } }>();
      const sizes = new Map<string, number>();
      for (const [set, { transforms }] of lastOf(messages, "/state/tf/", logTime)) {
        const all = transforms as { child_frame_id: string; translation: Point; rotation: Point & { w: number } }[];
        sizes.set(set, all.length);
        for (const each of all) frames.set(each.child_frame_id, each);
      }
      const { entities, crowds } = sceneAt(messages, logTime);
      const places: readonly Place[] = placesOf(state, originAt(latitude, longitude, altitude, heading));
      all += places.length;
      for (const [name, set] of state.sets) {
        const own = places.filter((place) => place.set === name);
        const crowd = crowds.get(name);
        const isSmall = set.columns.get("position")?.unit === "nm";
        const isBlocks = set.columns.get("position")?.data instanceof Int32Array;
        if (crowd !== undefined) {
          expect(crowd.length).toBe(own.length);
          closePoints(lastOf(messages, "/state/points/", logTime).get(name)!, crowd);
          for (const [i, { x, y, z }] of own.entries()) {
            const scale = isSmall ? 1e9 : 1;
            // a block's place is its corner; east is x, up is y, and south is z in the game
            const [dx, dy, dz] = isBlocks ? middleOfBlock(crowd[i]!, { x, y, z }) : [0, 0, 0];
            close(crowd[i]!, { x: x * scale + dx, y: y * scale + dy, z: z * scale + dz }, `${name} ${own[i]!.id}`);
            compared++;
          }
          continue;
        }
        if (entities.get(name) === undefined) {
          expect(own.length, `${name} at ${time}`).toBe(0);
          continue;
        }
        expect([...entities.get(name)!.keys()].sort(), `${name} at ${time}`).toEqual(
          own.map(({ id }) => `${name}/${id}`).sort(),
        );
        if (own.length > 0) expect(sizes.get(name)).toBe(own.length);
        for (const place of own) {
          const frame = frames.get(`${name}/${place.id}`)!;
          close(frame.translation, place, `${name} ${place.id} at ${time}`);
          const hand = byHand(of.format, set, set.ids.indexOf(place.id));
          if (hand !== null) close(frame.translation, hand, `${name} ${place.id} by hand`);
          if (place.orientation !== null) {
            const { x, y, z, w } = frame.rotation;
            expect([x, y, z, w]).toEqual(place.orientation);
          }
          compared++;
        }
      }
    }
    expect(compared).toBe(all);
    // some real tapes are of a battery and a bumper only
    if (SOUND.includes(of)) expect(compared).toBeGreaterThan(0);
    await recording.close();
  });
});

/** Half a block each way, whichever way the axes turn. */
function middleOfBlock(found: Point, corner: Point): [number, number, number] {
  const off = (axis: keyof Point): number => Math.sign(found[axis] - corner[axis]) / 2;
  return [off("x"), off("y"), off("z")];
}

describe("places on the earth", () => {
  it("are fixes with the recorded degrees, and metres of the recorded feet", async () => {
    const of = SOUND.find(({ format }) => format === "flightgear")!;
    const recording = await opened(of);
    const { messages } = await streamed((await exported(recording)).bytes);
    const { start, end } = await recording.timeline();
    for (let n = 0; n < 20; n++) {
      const time = Math.floor(start + ((end - start) * (n + 1)) / 20);
      const { sets } = await recording.state(time);
      const aircraft = sets.get("aircraft")!;
      const { data, unit } = aircraft.columns.get("geodetic")!;
      expect(unit).toBe("deg deg ft");
      const fixes = lastOf(messages, "/state/fix/aircraft/", BigInt(time));
      expect(aircraft.ids.length).toBeGreaterThan(0);
      for (const [row, id] of aircraft.ids.entries()) {
        const { latitude, longitude, altitude, frame_id: frame } = fixes.get(String(id))!;
        expect([latitude, longitude]).toEqual([data[3 * row], data[3 * row + 1]]);
        expect(altitude).toBeCloseTo((data[3 * row + 2] as number) * 0.3048, 6);
        expect(frame).toBe(`aircraft/${id}`);
      }
    }
    await recording.close();
  });
});

describe("range scans", () => {
  it("are laser scans in radians, infinite where a ray has no range", async () => {
    const of = SOUND.find(({ format }) => format === "mira")!;
    const recording = await opened(of);
    const { bytes, report } = await exported(recording);
    const { messages } = await streamed(bytes);
    const { epoch } = await recording.timeline();
    const channel = recording.channels.find(({ schema }) => schema.name.endsWith("RangeScan"))!;
    const scans = messages.filter(({ schema }) => schema === "foxglove.LaserScan");
    let n = 0;
    for await (const { time, value } of recording.messages(channel)) {
      const { startAngle, deltaAngle, range, valid } = value as unknown as {
        startAngle: number;
        deltaAngle: number;
        range: Float32Array;
        valid: Uint16Array;
      };
      const scan = scans[n++]!;
      const found = valueIn(scan) as unknown as { start_angle: number; end_angle: number; ranges: number[] };
      expect(scan.topic).toBe(`/state/scan${channel.name}`);
      expect(scan.logTime).toBe(epoch! + BigInt(time));
      expect(found.start_angle).toBeCloseTo((startAngle * Math.PI) / 180, 12);
      expect(found.end_angle).toBeCloseTo(((startAngle + (range.length - 1) * deltaAngle) * Math.PI) / 180, 9);
      expect(found.ranges).toEqual(
        Array.from(range, (metres, i) => (valid[i] === 0 ? metres : Number.POSITIVE_INFINITY)),
      );
    }
    expect(n).toBeGreaterThan(10);
    expect(scans.length).toBe(n);
    expect(report.notes.join("\n")).toContain("where on it the sensor is");
    await recording.close();
  });
});
