import { describe, expect, test } from "vitest";
import { check, MemoryFiles, type Recording, type Value } from "../../simtape/src/index.ts";
import { Room } from "../src/mira-room.ts";
import { demo } from "../src/mira.ts";
import { openTape } from "../../simtape/test/formats/mira/tapes.ts";

async function made(seconds: number, entities: number, seed: number): Promise<Uint8Array> {
  const to = new MemoryFiles();
  await demo({ seconds, entities, seed }, to);
  return to.bytes;
}

async function valuesOf(recording: Recording, channel: string): Promise<Value[]> {
  const values: Value[] = [];
  for await (const { value } of recording.messages(recording.channel(channel))) values.push(value);
  return values;
}

describe("the robot of the demo", () => {
  const minute = made(60, 1, 1);

  test("makes a sound tape with rates as a real one's", async () => {
    await using recording = await openTape(await minute);
    expect(await check(recording)).toMatchObject({ status: "sound", findings: [] });
    const statistics = await recording.statistics();
    const rates = Object.fromEntries(recording.channels.map(({ id, name }) => [name, statistics[id]!.messages / 60]));
    expect(rates["/robot/Odometry"]).toBe(20);
    expect(rates["/robot/RangeFinder/Front"]).toBe(12.5);
    expect(rates["/robot/charger/Voltage"]).toBe(1);
    expect(recording.motion?.name).toBe("/robot/Odometry");
    expect(recording.info.metadata["profile"]).toMatchObject({ codec: "zlib", version: 1 });
  });

  test("drives, reaches goals, and bumps into what its scanner does not see", async () => {
    await using recording = await openTape(await minute);
    const events = await valuesOf(recording, "/navigation/PilotEvent");
    for (const event of ["PlanAndDrive", "GoalReached", "Bumped"]) expect(events).toContain(event);
    const bumper = await valuesOf(recording, "/robot/Bumper");
    expect(bumper.slice(0, 2)).toEqual([false, true]);
    const mileage = (await valuesOf(recording, "/robot/Mileage")) as number[];
    expect(mileage.at(-1)).toBeGreaterThan(10);
    expect(mileage.every((now, i) => i === 0 || now >= mileage[i - 1]!)).toBe(true);
    const odometry = (await valuesOf(recording, "/robot/Odometry")) as { velocity: { x: number } }[];
    expect(Math.max(...odometry.map(({ velocity }) => velocity.x))).toBeLessThan(0.7);
  });

  test("scans all around but behind it, and marks what is too far", async () => {
    await using recording = await openTape(await made(20, 1, 3));
    const scans = (await valuesOf(recording, "/robot/RangeFinder/Front")) as {
      range: Float32Array;
      valid: Uint16Array;
      startAngle: number;
      deltaAngle: number;
    }[];
    expect(scans[0]!.startAngle + 180 * scans[0]!.deltaAngle).toBeCloseTo(135, 3);
    for (const { range, valid } of scans) {
      expect(range).toHaveLength(181);
      expect(Array.from(valid)).toEqual(Array.from(range, (metres) => (metres >= 8 ? 2 : 0)));
      expect(Math.min(...range)).toBeGreaterThan(0.04);
    }
  });

  test("is the same for a seed and another for another", async () => {
    const tape = await made(5, 2, 7);
    expect(Buffer.compare(await made(5, 2, 7), tape)).toBe(0);
    expect(Buffer.compare(await made(5, 2, 8), tape)).not.toBe(0);
  });

  test("may have company, which it sees", async () => {
    await using recording = await openTape(await made(5, 9, 2));
    expect((await check(recording)).status).toBe("sound");
    expect((await recording.state(5e9)).sets.get("poses")!.ids).toHaveLength(9);
    const first = (await valuesOf(recording, "/robot1/RangeFinder/Front"))[0] as { range: Float32Array };
    expect(Math.min(...first.range)).toBeLessThan(0.7);
    await expect(made(1, 5000, 1)).rejects.toThrow("there is no room");
  });
});

test("in the room, a beam ends where something is, and no earlier", () => {
  let seed = 1;
  const random = (): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  const room = new Room(random);
  for (let i = 0; i < 50; i++) {
    const { x, y } = room.freePoint(random);
    for (let direction = 0; direction < 6.3; direction += 0.1) {
      const range = room.range(x, y, direction, [], 40);
      expect(range).toBeGreaterThanOrEqual(room.clearance(x, y));
      expect(room.clearance(x + range * Math.cos(direction), y + range * Math.sin(direction))).toBeCloseTo(0, 6);
    }
  }
  const disc = { x: 1, y: 0, radius: 0.25 };
  expect(room.range(0, 0, 0, [disc], 40)).toBeCloseTo(0.75, 9);
  expect(room.range(0, 0, Math.PI, [disc], 1)).toBe(1);
});
