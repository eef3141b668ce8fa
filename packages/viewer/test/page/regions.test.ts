import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { directoryStore } from "simtape/node";
import { record } from "simtape/record";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChunkToWrite, regionFile } from "../blocks/anvil-writer.ts";
import { smallPack } from "../support/small-pack.ts";
import { drop, hasChromium, startViewer, untilOpen, type Viewer } from "../support/viewer.ts";

/** With a folder in `SCREENSHOTS`, what was drawn is kept there to be looked at. */
const SCREENSHOTS = process.env["SCREENSHOTS"];
const GROUND = 64;
const UUID = "0f5ba7a2-6a0e-4d3b-9c55-0123456789ab";
/** Chunks each way around the place. */
const RADIUS = 3;

describe.skipIf(!hasChromium)("region files of a world of blocks, in a browser", () => {
  let folder: string;
  let viewer: Viewer;
  const regions = regionsOf();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "simtape-regions-"));
    await recordIn(folder, "run");
    await mkdir(join(folder, "run.region"));
    for (const [name, bytes] of regions) await writeFile(join(folder, "run.region", name), bytes);
    if (SCREENSHOTS !== undefined) await mkdir(SCREENSHOTS, { recursive: true });
    viewer = await startViewer([folder]);
  }, 60_000);

  afterAll(async () => {
    await viewer?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  test("are found beside a recording, and shown around its players", async () => {
    const { page, errors } = await viewer.page(viewer.addressOf(viewer.entries));
    await untilOpen(page);
    // its main file is called as that of every recording in a folder
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("run");
    await page.evaluate(() => simtape.share("scene", { mode: "top" }));
    await page.getByRole("img", { name: /2 players, 1 entity, 1 edited block, \d\d chunks of the world/ }).waitFor();
    await expect.poll(() => ofColor(page, "red")).toBeGreaterThan(20);
    await keep(page, "regions-top");
    await page.evaluate(() => simtape.share("scene", { mode: "follow" }));
    await keep(page, "regions-follow");
    await page.evaluate(() => simtape.share("scene", { mode: "orbit" }));
    await keep(page, "regions-orbit");
    await page.evaluate(() => simtape.showPanel("info"));
    await page
      .getByText("run.region, a world of blocks (Anvil), shown around what is looked at")
      .or(page.getByText(/meta\.region, a world of blocks \(Anvil\), shown around/))
      .waitFor();
    await page.getByText("no findings").waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });

  test("are shown when they are dropped, a damaged chunk is a finding, and what was edited stays", async () => {
    const bare = await mkdtemp(join(tmpdir(), "simtape-regions-"));
    await recordIn(bare, "bare");
    const [[name, sound]] = [...regions].filter(([of]) => of === "r.0.0.mca") as [[string, Buffer]];
    const damaged = Buffer.from(sound);
    // the length of the first chunk
    damaged.writeUInt32BE(0x7fff_ffff, 8192);
    const alone = await startViewer([bare]);
    const { page, errors } = await alone.page(alone.addressOf(alone.entries));
    await untilOpen(page);
    await page.evaluate(() => simtape.share("scene", { mode: "top" }));
    await page.getByRole("img", { name: /edited block$/ }).waitFor();
    expect(await ofColor(page, "red")).toBe(0);
    await drop(page, { [name]: damaged });
    await page.getByRole("img", { name: /chunks of the world$/ }).waitFor();
    await page.evaluate(() => simtape.showPanel("info"));
    await page.getByText(/chunk 0, 0: 2147483647 bytes in \d+ sectors/).waitFor();
    await drop(page, { [name]: sound });
    await page.getByText("no findings").waitFor();
    await page.evaluate(() => simtape.showPanel("scene"));
    await expect.poll(() => ofColor(page, "red")).toBeGreaterThan(20);
    expect(errors).toEqual([]);
    await alone[Symbol.asyncDispose]();
    await rm(bare, { recursive: true, force: true });
  });

  test("wear the textures of a resource pack that is dropped, and say what of it is not understood", async () => {
    const { page, errors } = await viewer.page(viewer.addressOf(viewer.entries));
    await untilOpen(page);
    await page.evaluate(() => simtape.share("scene", { mode: "top" }));
    await expect.poll(() => ofColor(page, "red")).toBeGreaterThan(20);
    expect(await ofColor(page, "blue")).toBe(0);
    await drop(page, { "pack.zip": smallPack() });
    await expect.poll(() => ofColor(page, "blue")).toBeGreaterThan(20);
    await keep(page, "textures-top");
    await page.evaluate(() => simtape.share("scene", { mode: "follow" }));
    await keep(page, "textures-follow");
    await page.evaluate(() => simtape.showPanel("info"));
    await page.getByText("pack.zip: 1 of 3 blocks are not understood: they stay plain").waitFor();
    await page.getByText("pack.zip: 1 textures cannot be read").waitFor();
    await page.getByText("pack.zip, a resource pack of Minecraft, shown on blocks").waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });

  async function keep(page: Page, name: string): Promise<void> {
    if (SCREENSHOTS === undefined) return;
    await page.waitForTimeout(2500);
    await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
  }
});

/** A player who holds a sword and a block, one on a horse, and a block that was edited. */
async function recordIn(folder: string, id: string): Promise<void> {
  const recorder = await record(directoryStore(folder), { id, dataVersion: 3465 });
  const { world } = recorder;
  world.dimension("minecraft:overworld");
  const stance = { y: GROUND + 1, yaw: 180, pitch: 10, onGround: true };
  const player = world.join({ name: "Amaya", uuid: UUID }, { ...stance, x: 8.5, z: 9.5 });
  world.equipment(player, { 0: "minecraft:diamond_sword", 1: "minecraft:oak_planks" });
  const rider = world.join({ name: "Bo", uuid: UUID.replace("ab", "ac") }, { ...stance, x: 2.5, z: 2.5 });
  const horse = world.spawn("minecraft:horse", { ...stance, x: 11.5, z: 8.5 });
  world.mount(horse, [rider]);
  world.block([9, GROUND + 1, 7], "minecraft:gold_block");
  for (let tick = 0; tick < 40; tick++) {
    world.move(player, { ...stance, x: 8.5 + Math.sin(tick / 20), z: 9.5 });
    recorder.endTick();
  }
  await recorder.close();
}

/** Hills of grass and stone, with a square of red in the middle. */
function regionsOf(): ReadonlyMap<string, Buffer> {
  const at = (x: number, y: number, z: number): string => {
    const away = Math.hypot(x - 8, z - 8);
    const top = GROUND + Math.round(Math.max(0, away - 10) * 0.1 * (1 + Math.sin(x / 6) + Math.cos(z / 5)));
    if (y === GROUND && x > 3 && x < 8 && z > 3 && z < 8) return "minecraft:redstone_block";
    if (y > top) return y === top + 1 && away > 6 && (x * 7 + z * 13) % 11 === 0 ? "minecraft:poppy" : "minecraft:air";
    return y === top ? "minecraft:grass_block[snowy=false]" : y > top - 3 ? "minecraft:dirt" : "minecraft:stone";
  };
  const files = new Map<string, ChunkToWrite[]>();
  for (let x = -RADIUS; x <= RADIUS; x++) {
    for (let z = -RADIUS; z <= RADIUS; z++) {
      const name = `r.${Math.floor(x / 32)}.${Math.floor(z / 32)}.mca`;
      const chunk: ChunkToWrite = { x, z, at, sections: [3, 4], dataVersion: 3465 };
      files.set(name, x === 0 && z === 0 ? [chunk, ...(files.get(name) ?? [])] : [...(files.get(name) ?? []), chunk]);
    }
  }
  return new Map([...files].map(([name, chunks]) => [name, regionFile(chunks)]));
}

/** Pixels that are as red, or as blue, as nothing else is. */
function ofColor(page: Page, color: "red" | "blue"): Promise<number> {
  return page.evaluate((own) => {
    const small = document.createElement("canvas");
    [small.width, small.height] = [320, 180];
    const context = small.getContext("2d", { willReadFrequently: true })!;
    context.drawImage(simtape.pictures.get("scene")!(), 0, 0, small.width, small.height);
    const { data } = context.getImageData(0, 0, small.width, small.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
      const [red, green, blue] = data.subarray(i, i + 3) as unknown as [number, number, number];
      const [most, other] = own === "red" ? [red, blue] : [blue, red];
      if (most > 60 && most > 2.5 * green && most > 2.5 * other) count++;
    }
    return count;
  }, color);
}
