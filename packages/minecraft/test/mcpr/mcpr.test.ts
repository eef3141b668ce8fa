import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { unzipSync } from "fflate";
import { createDeserializer } from "minecraft-protocol";
import { memoryStore, open, type State, type Store } from "simtape";
import { fromFile } from "simtape/node";
import { type WorldName, WorldReader } from "simtape/world";
import { describe, expect, test } from "vitest";
import { exportMcpr } from "../../src/mcpr/export.ts";
import { importMcpr } from "../../src/mcpr/import.ts";
import { worldIn } from "../../src/world/names.ts";
import { command } from "../support/command.ts";
import { Folder } from "../support/demo.ts";

const SAMPLE = fileURLToPath(
  new URL("../../../../../shared/samples/hypercube/cap8-flyingsquid-1.16.5.mcpr", import.meta.url),
);

/** Everything that is to be seen, a text for each tick; of `columns` and blocks only. */
async function ticksOf(path: string, columns: RegExp = /^(?!velocity)/): Promise<string[]> {
  await using recording = await open(fromFile(path));
  const { ticks } = recording.info.metadata as { ticks: number };
  const texts: string[] = [];
  for (let tick = 0; tick < ticks; tick++) texts.push(textOf(await recording.state(tick * 50e6), columns));
  return texts;
}

function textOf({ values, sets }: State, wanted: RegExp): string {
  const rows = [...sets]
    .map(([name, { ids, columns }]) => [
      name,
      ids,
      [...columns].filter(([column]) => wanted.test(column)).map(([column, { data }]) => [column, [...data]]),
    ])
    .filter(([, ids]) => (ids as readonly unknown[]).length > 0);
  const kept = wanted.test("kind")
    ? [...values].filter(([path]) => !["mark", "chat"].includes(path)).sort(([a], [b]) => (a < b ? -1 : 1))
    : [];
  return JSON.stringify([kept, rows]);
}

/** What is said, and what marks are called. */
async function wordsOf(path: string): Promise<string[]> {
  await using recording = await open(fromFile(path));
  const words: string[] = [];
  for (const channel of ["chat", "mark"])
    for await (const { time, value } of recording.messages(channel)) {
      const { line, label } = value as { line?: string; label?: string };
      words.push(`${time / 1e9} s: ${line ?? label}`);
    }
  return words;
}

async function keysOf(store: Store): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key, size } of store.list("worlds/")) keys.push(`${key}: ${size}`);
  return keys;
}

async function problemsOf(store: Store, world: WorldName): Promise<string[]> {
  const problems: string[] = [];
  for await (const { message } of new WorldReader(store, world).check()) problems.push(message);
  return problems;
}

/** The same at every tick; else the first that differs. */
function expectEqual(after: readonly string[], before: readonly string[]): void {
  const tick = before.findIndex((text, i) => text !== after[i]);
  expect([tick, after[tick]]).toEqual([tick, before[tick]]);
  expect(after.length).toBe(before.length);
}

interface Packet {
  readonly at: number;
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: each packet has fields of its own
  readonly params: any;
}

/** As the format's description says: i32 milliseconds, i32 length, packet. */
function packetsIn(path: string): Packet[] {
  const bytes = Buffer.from(unzipSync(readFileSync(path))["recording.tmcpr"]!);
  const parsers = ["login", "play"].map((state) =>
    createDeserializer({ state: state as never, isServer: false, version: "1.16.5", customPackets: {} }),
  );
  const packets: Packet[] = [];
  for (let at = 0; at < bytes.length; at += 8 + bytes.readInt32BE(at + 4)) {
    const body = bytes.subarray(at + 8, at + 8 + bytes.readInt32BE(at + 4));
    const { name, params } = parsers[packets.length === 0 ? 0 : 1]!.parsePacketBuffer(body).data;
    packets.push({ at: bytes.readInt32BE(at), name, params });
  }
  return packets;
}

describe.skipIf(!existsSync(SAMPLE))("row 7: import of a recording of 1.16.5", () => {
  test("every packet is accounted for, and every place is where the packets have led", async () => {
    using folder = new Folder();
    const report = await importMcpr(SAMPLE, folder.at("run.hcrp"));
    const packets = packetsIn(SAMPLE);
    expect(packets).toHaveLength(29_042);
    expect(report).toMatchObject({ version: "1.16.5", packets: 29_042, unread: 0, damage: null });
    const counted = [...report.tally].map(([name, { carried, left, unknown }]) => [name, carried + left + unknown]);
    const names: Record<string, number> = {};
    for (const { name } of packets) names[name] = (names[name] ?? 0) + 1;
    expect(Object.fromEntries(counted)).toEqual(names);

    await using recording = await open(fromFile(folder.at("run.hcrp")));
    const places = new Map<number, readonly [number, number, number]>();
    const order: number[] = [];
    let compared = 0;
    for (const [i, { at, name, params }] of packets.entries()) {
      const { entityId: id } = params;
      if (name === "named_entity_spawn" || name === "spawn_entity") {
        const { x, y, z } = params;
        places.set(id, [x, y, z].map((value) => Math.round(value * 4096)) as unknown as [number, number, number]);
        order.push(id);
      } else if (name === "rel_entity_move" && places.has(id)) {
        const [x, y, z] = places.get(id)!;
        places.set(id, [x + params.dX, y + params.dY, z + params.dZ]);
      } else if (name === "entity_destroy") for (const gone of params.entityIds) places.delete(gone);
      // Behind the last packet of a tick its state is settled.
      const tick = Math.floor(at / 50);
      if (i + 1 < packets.length && Math.floor(packets[i + 1]!.at / 50) === tick) continue;
      const { sets } = await recording.state(tick * 50e6);
      const seen = ["players", "entities"].flatMap((set) => {
        const { ids = [], columns } = sets.get(set) ?? {};
        const data = (columns?.get("position")?.data ?? []) as ArrayLike<number>;
        return ids.map((_, row) => [0, 1, 2].map((axis) => data[3 * row + axis]! * 4096).join());
      });
      expect(seen.sort()).toEqual([...places.values()].map((place) => place.join()).sort());
      compared += seen.length;
    }
    expect(compared).toBeGreaterThan(15_000);
    expect(order.length).toBe(36);
  });

  test("export, and import again, gives the same recording over the same world", async () => {
    using folder = new Folder();
    const [worlds, again] = [memoryStore(), memoryStore()];
    const report = await importMcpr(SAMPLE, folder.at("run.hcrp"), { worlds });
    expect(report.world!.chunks).toBe(36);
    expect(report.tally.get("map_chunk")).toEqual({ carried: 36, left: 0, unknown: 0 });
    await using run = await open(fromFile(folder.at("run.hcrp")));
    const world = worldIn(run.info)!;
    expect({ ...world, chunks: 36 }).toEqual(report.world);
    expect(await problemsOf(worlds, world)).toEqual([]);
    const exported = await exportMcpr(folder.at("run.hcrp"), folder.at("back.mcpr"), "1.16.5", { worlds });
    expect(exported).toMatchObject({ chunks: 36, leftOut: 0, unknown: [] });
    await importMcpr(folder.at("back.mcpr"), folder.at("again.hcrp"), { worlds: again });
    expect(await keysOf(again)).toEqual(await keysOf(worlds));
    expect((await keysOf(worlds)).length).toBeGreaterThan(36);
    expectEqual(await ticksOf(folder.at("again.hcrp")), await ticksOf(folder.at("run.hcrp")));
  });
});

describe.each(["1.16.5", "1.20.4", "1.21.4"])("a race as a .mcpr of %s", (version) => {
  test("comes back the same every time, with its marks", async () => {
    using folder = new Folder().withRace();
    const report = await exportMcpr(folder.at("race.hcrp"), folder.at("a.mcpr"), version);
    expect(report.marks).toBeGreaterThan(10);
    const first = await importMcpr(folder.at("a.mcpr"), folder.at("a.hcrp"));
    expect(first).toMatchObject({ version, unread: 0, damage: null, ticks: 1200, packets: report.packets });
    await exportMcpr(folder.at("a.hcrp"), folder.at("b.mcpr"), version);
    await importMcpr(folder.at("b.mcpr"), folder.at("b.hcrp"));
    const [a, b] = [await ticksOf(folder.at("a.hcrp")), await ticksOf(folder.at("b.hcrp"))];
    expectEqual(b, a);
    const words = await wordsOf(folder.at("race.hcrp"));
    expect(words).toContain("3 s: Race 1: go!");
    expect(await wordsOf(folder.at("a.hcrp"))).toEqual(words);
    // Places are those of the race itself; of angles bytes are left.
    const seen = /^(position|label)$/;
    expectEqual(await ticksOf(folder.at("a.hcrp"), seen), await ticksOf(folder.at("race.hcrp"), seen));
  });
});

test("the commands say what became of the packets", () => {
  using folder = new Folder().withRace();
  const out = command("export", folder.at("race.hcrp"), folder.at("a.mcpr"), "--version", "1.16.5");
  expect(out).toMatchObject({ status: 0, stderr: "" });
  const back = command("import", folder.at("a.mcpr"), folder.at("b.hcrp"));
  expect(back.status).toBe(0);
  expect(back.stdout).toMatch(/1200 ticks of 1\.16\.5; \d+ of \d+ packets carried, \d+ marks/);
  expect(command("export", folder.at("race.hcrp"), folder.at("a.mcpr"), "--version", "1.7").status).not.toBe(0);
});
