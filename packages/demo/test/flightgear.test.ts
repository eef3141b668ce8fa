import { describe, expect, test } from "vitest";
import { check, MemoryFiles, open, type Recording } from "../../simtape/src/index.ts";
import { Air, Aircraft, type Phase } from "../src/flightgear-aircraft.ts";
import { demo } from "../src/flightgear.ts";
import { flightgear } from "../../simtape/src/formats/flightgear/format.ts";
import { bundleOfFiles } from "../../simtape/test/conformance/mutate.ts";
import { tries } from "../../simtape/test/soak.ts";

async function made(seconds: number, entities: number, seed: number): Promise<Uint8Array> {
  const to = new MemoryFiles();
  await demo({ seconds, entities, seed }, to);
  return to.bytes;
}

function opened(bytes: Uint8Array): Promise<Recording> {
  return open(bundleOfFiles({ "a.fgtape": bytes }), { formats: [flightgear] });
}

/** Numbers in [0, 1), repeatable. */
function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

describe("the flight of the demo", () => {
  test("makes a sound tape with rates as a real one's, the same for the same seed", async () => {
    const bytes = await made(30, 3, 1);
    expect(Buffer.compare(await made(3, 3, 1), await made(3, 3, 1))).toBe(0);
    expect(Buffer.compare(await made(3, 3, 1), await made(3, 3, 2))).not.toBe(0);
    await using recording = await opened(bytes);
    expect(await check(recording)).toMatchObject({ status: "sound", findings: [] });
    expect(recording.info.metadata).toMatchObject({
      kind: "continuous",
      aircraft: "c172p",
      airport: "KHAF",
      frames: 600,
      signals: 189,
      recordSize: 579,
    });
    const statistics = await recording.statistics();
    const count = (name: string) => statistics[recording.channel(name).id]!.messages;
    expect(count("signals")).toBe(600);
    expect(count("multiplayer")).toBe(2 * 300);
    expect(count("extra-properties")).toBeGreaterThan(2);
  });

  test("takes off, flies a circuit to the left and lands where it began", { timeout: 30_000 }, async () => {
    await using recording = await opened(await made(420, 1, 1));
    const phases: string[] = [];
    for await (const { value } of recording.messages(recording.channel("extra-properties"))) {
      for (const [path, text] of (value as { changes: [string, string][] }).changes) {
        if (path === "/sim/circuit/phase") phases.push(text);
      }
    }
    const circuit = ["take-off", "climb-out", "crosswind", "downwind", "base", "final", "flare", "roll-out"];
    expect(phases.slice(0, 10)).toEqual(["line-up", ...circuit, "take-off"]);
    let highest = 0;
    let landings = 0;
    let wasOnGround = true;
    for await (const { value } of recording.messages(recording.channel("signals"))) {
      const signals = value as Record<string, number | boolean>;
      highest = Math.max(highest, signals["/position/altitude-agl-ft"] as number);
      const isOnGround = signals["/gear/gear/wow"] as boolean;
      if (isOnGround && !wasOnGround) landings++;
      wasOnGround = isOnGround;
      if (signals["/sim/alarms/stall-warning"] !== false) throw new Error("the aircraft stalls");
    }
    expect(highest).toBeGreaterThan(900);
    expect(highest).toBeLessThan(1100);
    expect(landings).toBe(1);
    const { values } = await recording.state(0);
    expect(values.get("/position/latitude-deg")).toBeCloseTo(37.5107, 4);
  });

  test("has other pilots in the circuit, who talk", { timeout: 30_000 }, async () => {
    await using recording = await opened(await made(120, 5, 4));
    const state = await recording.state(100e9);
    const { ids, columns } = state.sets.get("aircraft")!;
    expect(ids.length).toBe(5);
    const geodetic = columns.get("geodetic")!.data as Float64Array;
    for (let row = 0; row < ids.length; row++) {
      expect(geodetic[3 * row]).toBeCloseTo(37.52, 1);
      expect(geodetic[3 * row + 1]).toBeCloseTo(-122.5, 1);
    }
    const said = new Set<string>();
    for await (const { value } of recording.messages(recording.channel("multiplayer"))) {
      expect(value).not.toHaveProperty("unread");
      const { chat } = value as { chat?: string };
      if (chat !== undefined) said.add(chat);
    }
    expect(said.size).toBeGreaterThan(4);
    for (const line of said) expect(line).toMatch(/^Half Moon traffic, N\d{3}[A-Z]{2}, .*runway 30/);
  });

  test("stays in the air and comes down again, whatever the wind", { timeout: 60_000 }, () => {
    for (let seed = 1; seed <= tries(5, 20); seed++) {
      const aircraft = new Aircraft(new Air(noise(seed)), noise(seed + 100));
      const seen: Phase[] = [];
      let hardest = 0;
      for (let step = 0; step < 100 * 900; step++) {
        const { isOnGround, velocity } = aircraft;
        aircraft.step(0.01);
        if (!isOnGround && aircraft.isOnGround) hardest = Math.max(hardest, -velocity[2]);
        if (seen.at(-1) !== aircraft.phase) seen.push(aircraft.phase);
        if (!(aircraft.z < 450 && aircraft.speed < 70)) throw new Error(`seed ${seed}: gone at ${step / 100} s`);
      }
      expect(seen.filter((phase) => phase === "roll-out").length, `seed ${seed}`).toBeGreaterThanOrEqual(2);
      // A certified undercarriage takes 3 m/s.
      expect(hardest, `seed ${seed}`).toBeLessThan(3);
    }
  });
});
