import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { directoryStore } from "simtape/node";
import { record } from "simtape/record";
import { type WorldChunk, WorldWriter } from "simtape/world";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { hasChromium, startViewer, untilOpen, type Viewer } from "../support/viewer.ts";

/** With a folder in `SCREENSHOTS`, what was drawn is kept there to be looked at. */
const SCREENSHOTS = process.env["SCREENSHOTS"];
const WORLD = { id: "0f5ba7a2-6a0e-4d3b-9c55-0123456789ab", version: "00112233445566778899aabbccddeeff" };
const [OVERWORLD, NETHER] = ["minecraft:overworld", "minecraft:the_nether"];
/** Chunks each way from the middle one. */
const RADIUS = 2;
const GROUND = 64;
/** Where red blocks are in the ground, next to the player. */
const RED: readonly (readonly [number, number, number])[] = [5, 6, 7].flatMap((x) =>
  [5, 6, 7].map((z) => [x, GROUND, z] as const),
);
/** Ticks: the red blocks are broken, and all go where there is a roof. */
const [BROKEN, UNDER] = [40, 80];
const TICK = 5e7;
/** What the player has from then on when the blocks are broken. */
const HURT = { health: 6.5, food: 3 };

describe.skipIf(!hasChromium)("the world below a recording, in a browser", () => {
  let folder: string;
  let viewer: Viewer;
  let page: Page;
  let errors: readonly string[] = [];
  const asked: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "simtape-world-"));
    const store = directoryStore(folder);
    const writer = new WorldWriter(store, WORLD);
    for (let x = -RADIUS; x <= RADIUS; x++) {
      for (let z = -RADIUS; z <= RADIUS; z++) {
        await writer.put(OVERWORLD!, x, z, chunkAt(x, z, false));
        await writer.put(NETHER!, x, z, chunkAt(x, z, true));
      }
    }
    await writer.flush();
    const names = { worldId: WORLD.id, worldVersion: Buffer.from(WORLD.version, "hex") };
    const recorder = await record(store, { id: "run", dataVersion: 3465, ...names });
    const { world } = recorder;
    world.dimension(OVERWORLD!);
    const player = world.join({ name: "Amaya", uuid: WORLD.id }, stance(0));
    world.vitals(player, 20, 17, 0);
    for (let tick = 0; tick < 120; tick++) {
      world.move(player, stance(tick));
      if (tick === BROKEN) world.vitals(player, HURT.health, HURT.food, 0);
      if (tick === BROKEN) for (const at of RED) world.block(at, "minecraft:air");
      if (tick === UNDER) {
        world.clearBlocks();
        world.dimension(NETHER!);
      }
      recorder.endTick();
    }
    await recorder.close();
    if (SCREENSHOTS !== undefined) await mkdir(SCREENSHOTS, { recursive: true });
    viewer = await startViewer([folder]);
    ({ page, errors } = await viewer.page("about:blank"));
    page.setDefaultTimeout(20_000);
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(viewer.addressOf(viewer.entries));
    await untilOpen(page);
    await page.evaluate(() => simtape.share("scene", { mode: "top" }));
  }, 60_000);

  afterEach(() => {
    expect(errors).toEqual([]);
  });

  afterAll(async () => {
    await viewer?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  test("is drawn around the player, in light and dark", async () => {
    await page.getByRole("img", { name: "1 player, 0 entities, 0 edited blocks, 25 chunks of the world" }).waitFor();
    expect(await red()).toBeGreaterThan(20);
    await keep("world-top");
    await page.evaluate(() => simtape.share("scene", { mode: "follow" }));
    await keep("world-follow");
    await page.keyboard.press("Shift+D");
    await keep("world-follow-other");
    await page.evaluate(() => simtape.share("scene", { mode: "top" }));
    await expect.poll(red).toBeGreaterThan(20);
    await page.keyboard.press("Shift+D");
    // what there is was asked for once
    expect(new Set(asked.filter((url) => url.includes("/world/"))).size).toBe(
      asked.filter((url) => url.includes("/world/")).length,
    );
  });

  test("has a hole where a block was broken, and none before", async () => {
    await goTo(BROKEN + 5);
    await expect.poll(red).toBe(0);
    await keep("world-hole");
    await goTo(BROKEN - 5);
    await expect.poll(red).toBeGreaterThan(20);
  });

  test("has bars of the player's health and food, as full as their numbers", async () => {
    const bars = () =>
      page.locator(".scene-hud [data-bar]:not([data-bar=''])").evaluateAll((lines) =>
        lines.map((line) => {
          const [name, number, bar] = line.children;
          const { backgroundSize, width } = getComputedStyle(bar!);
          return [name!.textContent, number!.textContent, Number.parseFloat(backgroundSize), width];
        }),
      );
    await goTo(BROKEN - 5);
    await expect.poll(bars).toEqual([
      ["health", "20", 70, "69px"],
      ["food", "17", 59.5, "69px"],
    ]);
    await goTo(BROKEN + 5);
    await expect.poll(bars).toEqual([
      ["health", HURT.health.toFixed(0), 3.5 * HURT.health, "69px"],
      ["food", HURT.food.toFixed(0), 3.5 * HURT.food, "69px"],
    ]);
    await keep("world-hurt");
    await goTo(BROKEN - 5);
  });

  test("is left out when that is wanted", async () => {
    const button = page.getByRole("button", { name: "World", exact: true });
    await button.click();
    await expect.poll(red).toBe(0);
    await page.getByRole("img", { name: /edited blocks$/ }).waitFor();
    await page.keyboard.press("w");
    await expect.poll(red).toBeGreaterThan(20);
  });

  test("is cut above the player, so that what is below a roof is seen", async () => {
    await goTo(UNDER + 5);
    await page.getByRole("img", { name: /25 chunks/ }).waitFor();
    await keep("world-roof");
    await expect.poll(red).toBe(0);
    await page.keyboard.press("c");
    await expect.poll(red).toBeGreaterThan(20);
    await keep("world-cut");
    expect(await page.evaluate(() => simtape.state.value.shared["scene"])).toMatchObject({ cut: true });
  });

  test("is named where the recording is described", async () => {
    await page.evaluate(() => simtape.showPanel("info"));
    await page.getByText("found beside the recording, shown in the scene").waitFor();
  });

  async function goTo(tick: number): Promise<void> {
    await page.evaluate((time) => simtape.seek(time), tick * TICK);
  }

  /** Pixels that are as red as nothing else is. */
  function red(): Promise<number> {
    return page.evaluate(() => {
      const small = document.createElement("canvas");
      [small.width, small.height] = [320, 180];
      const context = small.getContext("2d", { willReadFrequently: true })!;
      context.drawImage(simtape.pictures.get("scene")!(), 0, 0, small.width, small.height);
      const { data } = context.getImageData(0, 0, small.width, small.height);
      let count = 0;
      for (let i = 0; i < data.length; i += 4)
        if (data[i]! > 60 && data[i]! > 2.5 * data[i + 1]! && data[i]! > 2.5 * data[i + 2]!) count++;
      return count;
    });
  }

  async function keep(name: string): Promise<void> {
    if (SCREENSHOTS === undefined) return;
    await page.waitForTimeout(1500);
    await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
  }
});

/** The player walks to and fro, near the red blocks. */
function stance(tick: number): { x: number; y: number; z: number; yaw: number; pitch: number; onGround: boolean } {
  return { x: 8.5 + Math.sin(tick / 20), y: GROUND + 1, z: 9.5, yaw: 180, pitch: 20, onGround: true };
}

/** Flat in the middle, with hills, a pond and trees around; or below a roof. */
function chunkAt(chunkX: number, chunkZ: number, hasRoof: boolean): WorldChunk {
  const palette = [
    "air",
    "stone",
    "grass_block",
    "dirt",
    "water[level=0]",
    "redstone_block",
    "oak_log",
    "oak_leaves",
    "deepslate",
    "oak_slab[type=bottom]",
    "glass",
  ].map((name) => `minecraft:${name}`);
  const nameAt = (x: number, y: number, z: number): string => {
    if (RED.some(([a, b, c]) => a === x && b === y && c === z)) return "redstone_block";
    if (hasRoof) return y <= GROUND || y === GROUND + 5 ? "deepslate" : "air";
    const away = Math.hypot(x - 8, z - 8);
    const top = GROUND + Math.round(Math.max(0, away - 10) * 0.12 * (1 + Math.sin(x / 6) + Math.cos(z / 5)));
    const isPond = Math.hypot(x + 8, z - 4) < 6;
    if (isPond && y > GROUND - 3 && y >= top - 3) return y <= top ? "water[level=0]" : "air";
    if (y <= top) return y === top ? "grass_block" : y > top - 3 ? "dirt" : "stone";
    const [treeX, treeZ] = [Math.abs((((x % 11) + 11) % 11) - 5), Math.abs((((z % 9) + 9) % 9) - 4)];
    if (away < 11) return y === GROUND + 1 && x === 12 ? (z % 2 === 0 ? "oak_slab[type=bottom]" : "glass") : "air";
    if (!isPond && treeX === 0 && treeZ === 0 && y < top + 5) return "oak_log";
    return !isPond && treeX < 3 && treeZ < 3 && y > top + 3 && y < top + 6 ? "oak_leaves" : "air";
  };
  return {
    dataVersion: 3465,
    minSection: 3,
    blockEntities: [],
    sections: [0, 1, 2].map((section) => ({
      biomes: null,
      blocks: {
        palette,
        indices: Uint16Array.from({ length: 4096 }, (_, i) =>
          palette.indexOf(
            `minecraft:${nameAt(16 * chunkX + (i & 15), 16 * (3 + section) + (i >> 8), 16 * chunkZ + ((i >> 4) & 15))}`,
          ),
        ),
      },
    })),
  };
}
