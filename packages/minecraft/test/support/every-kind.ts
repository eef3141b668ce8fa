import { writeFileSync } from "node:fs";
import minecraftData from "minecraft-data";
import { memoryStore, storeBundle } from "simtape";
import { MemoryFiles } from "simtape/kit";
import { compact, record } from "simtape/record";
import { LineProtocol } from "simtape/serving";

/** What was heard in the recording below, in order. */
export const SOUNDS = [
  { name: "minecraft:block.anvil.use", at: [1.5, 64, -2.5], volume: 1, pitch: 0.5, category: 4 },
  { name: "minecraft:entity.arrow.hit_player", at: [-100.125, 70.25, 8], volume: 0.25, pitch: 1.5, category: 7 },
  { name: "pack:own.sound", at: [0, 65, 0], volume: 2, pitch: 1, category: 9 },
] as const;

/** The UUID that clients called Sam have without the session server. */
const SAM = "f532bcd7-7c7f-3a67-b540-4530d9614222";

/** Kinds that all versions have: one of each stands in the recording, beside two players. */
export const KINDS: readonly string[] = minecraftData("1.16.5")
  .entitiesArray.map(({ name }) => name!)
  .filter((name) => name !== "player" && minecraftData("1.21.4").entitiesByName[name] !== undefined);

/** Writes a recording with a thing of each kind, far ways, odd poses, edits and sounds; 3 seconds. */
export async function writeEveryKind(path: string): Promise<void> {
  const store = memoryStore();
  const protocol = new LineProtocol({
    open: (header) => record(store, { id: "kinds", ...header, profile: "cinema" }),
  });
  const uuid = (id: number): string => `00000000-0000-4000-8000-${String(id).padStart(12, "0")}`;
  const lines: object[] = [
    { simtape: 1, dataVersion: 2586, protocol: 754, server: "test" },
    { tick: 0 },
    { dimension: "minecraft:overworld" },
    { spawn: { id: 1, type: "minecraft:player", uuid: uuid(1), name: "A name that is too long", at: [0, 64, 0] } },
    { spawn: { id: 2, type: "minecraft:player", uuid: SAM, name: "Sam", at: [4, 64, 0] } },
    { equipment: { id: 1, items: { 0: "minecraft:stick", 2: "minecraft:iron_boots", 5: "minecraft:iron_helmet" } } },
  ];
  for (const [i, kind] of KINDS.entries()) {
    const at = [(i % 10) * 3 - 15, 64, Math.floor(i / 10) * 3 - 15];
    lines.push({ spawn: { id: 10 + i, type: `minecraft:${kind}`, at, look: [90 * (i % 4), 0] } });
    // What no body wears is recorded all the same.
    lines.push({ equipment: { id: 10 + i, items: { 0: "minecraft:stick" } } });
  }
  lines.push({ tick: 10 });
  for (const [i, { name, ...of }] of SOUNDS.entries()) lines.push({ tick: 11 + i }, { sound: { name, ...of } });
  lines.push(
    { tick: 20 },
    { state: { id: 2, pose: 200, flags: 1 } },
    { block: { at: [200, 64, 200], state: "minecraft:stone" } },
    { teleport: { id: 1, at: [300, 70, -300] } },
    { swing: { id: 1, hand: 0 } },
    { hurt: { id: 2 } },
    { tick: 40 },
    { remove: { id: 2 } },
    { move: { id: 10, at: [40, 64, 0] } },
    { remove: { id: 12 } },
    { tick: 60 },
  );
  for (const line of lines) await protocol.give(line as never);
  await protocol.finish();
  await protocol.recorder!.close();
  const files = new MemoryFiles("kinds.hcrp");
  await compact(storeBundle(store, "kinds/meta.hcrp").source, files);
  writeFileSync(path, files.bytes);
}
