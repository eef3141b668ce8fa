import { describe, expect, test } from "vitest";
import { check, filesBundle, MemoryFiles, open as openRecording, type Recording } from "../../simtape/src/index.ts";
import { Molecules, type Pull } from "../src/nanover-molecules.ts";
import { demo } from "../src/nanover.ts";
import { randomOf } from "../src/random.ts";
import { nanover } from "../../simtape/src/formats/nanover/format.ts";

async function made(name: string, seconds: number, entities: number, seed = 1): Promise<Map<string, Uint8Array>> {
  const to = new MemoryFiles(name);
  await demo({ seconds, entities, seed }, to);
  return to.files;
}

function open(files: ReadonlyMap<string, Uint8Array>, name: string): Promise<Recording> {
  return openRecording(filesBundle(files, name), { formats: [nanover] });
}

describe("molecules", () => {
  test.each([24, 120])("of %i particles keep their energy without a thermostat", (count) => {
    const molecules = new Molecules(count, randomOf(1));
    const energy = molecules.kinetic + molecules.potential;
    let worst = 0;
    for (let i = 0; i < 400; i++) {
      molecules.step(null, false);
      worst = Math.max(worst, Math.abs(molecules.kinetic + molecules.potential - energy));
    }
    expect(molecules.kinetic).toBeGreaterThan(count);
    expect(worst).toBeLessThan(molecules.kinetic / 50);
  });
  test("gain the work that is done on them", () => {
    const molecules = new Molecules(40, randomOf(2));
    const before = molecules.kinetic + molecules.potential;
    const [x, y, z] = molecules.positions;
    const pull: Pull = { particle: 0, x: x! + 0.3, y: y!, z: z!, scale: 100 };
    for (let i = 0; i < 300; i++) molecules.step(pull, false);
    expect(molecules.work).toBeGreaterThan(1);
    const gained = molecules.kinetic + molecules.potential - before;
    expect(Math.abs(gained - molecules.work)).toBeLessThan(molecules.work / 10);
    expect(molecules.pullEnergy).toBeGreaterThan(0);
  });
  test("stay in their box, at their temperature, and whole", () => {
    const molecules = new Molecules(64, randomOf(3));
    let temperature = 0;
    for (let i = 0; i < 600; i++) {
      molecules.step(null);
      temperature += molecules.temperature / 600;
    }
    expect(temperature).toBeGreaterThan(200);
    expect(temperature).toBeLessThan(400);
    for (const at of molecules.positions) {
      expect(at).toBeGreaterThan(-0.5);
      expect(at).toBeLessThan(molecules.box + 0.5);
    }
    for (let b = 0; b < molecules.bonds.length; b += 2) {
      const [i, j] = [3 * molecules.bonds[b]!, 3 * molecules.bonds[b + 1]!];
      const x = molecules.positions;
      expect(Math.hypot(x[i]! - x[j]!, x[i + 1]! - x[j + 1]!, x[i + 2]! - x[j + 2]!)).toBeCloseTo(0.154, 1);
    }
  });
  test("can be as few as two", () => {
    const molecules = new Molecules(1, randomOf(4));
    expect([molecules.count, molecules.bonds.length]).toEqual([2, 0]);
    expect(Number.isFinite(molecules.potential)).toBe(true);
  });
});

describe("the demo", () => {
  test("gives the same bytes for the same seed, and others for another", async () => {
    const [a, b, other] = [await made("a.zip", 1, 20), await made("a.zip", 1, 20), await made("a.zip", 1, 20, 2)];
    expect(Buffer.compare(a.get("a.zip")!, b.get("a.zip")!)).toBe(0);
    expect(Buffer.compare(a.get("a.zip")!, other.get("a.zip")!)).not.toBe(0);
  });
  test("is a sound recording of 30 frames and as many updates in a second, as a zip and as a pair", async () => {
    const reported: unknown[] = [];
    for (const name of ["a.nanover.zip", "a.traj"]) {
      await using recording = await open(await made(name, 4, 30), name);
      expect((await check(recording)).status).toBe("sound");
      expect(recording.info.version).toBe(name === "a.traj" ? "2" : "zip");
      expect((await recording.statistics()).map(({ messages }) => messages)).toEqual([120, 120]);
      const { start, end } = await recording.timeline();
      expect((end - start) / 1e9).toBeCloseTo(4, 0);
      const state = await recording.state(2e9);
      reported.push(Array.from(state.sets.get("particles")!.columns.get("position")!.data as Float32Array));
      expect(state.sets.get("particles")!.ids.length).toBe(30);
      expect(state.values.get("residue.names")).toContain("OCT");
    }
    expect(reported[0]).toEqual(reported[1]);
  });
  test("shows a user with a head and two hands who pulls and lets go", async () => {
    await using recording = await open(await made("a.zip", 12, 24), "a.zip");
    let pulls = 0;
    let lettingGo = 0;
    let wasPulling = false;
    for (let time = 0.5e9; time < 12e9; time += 0.2e9) {
      const state = await recording.state(time);
      expect(state.sets.get("avatars")!.columns.get("kind")!.data).toEqual(["hand.left", "hand.right", "headset"]);
      const isPulling = (state.sets.get("interactions")?.ids.length ?? 0) > 0;
      if (isPulling) pulls++;
      if (wasPulling && !isPulling) lettingGo++;
      wasPulling = isPulling;
      // Frames come two milliseconds after the updates.
      const index = state.values.get("forces.user.index") as Uint32Array;
      expect(index.length).toBeLessThanOrEqual(1);
    }
    expect(pulls).toBeGreaterThan(5);
    expect(lettingGo).toBeGreaterThan(0);
    const { values } = await recording.state(12e9);
    expect(values.get("forces.user.work_done")).not.toBe(0);
  });
});
