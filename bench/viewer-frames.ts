/**
 * Measures what 10,000 things cost the page on a machine with a graphics card:
 * `npm run bench:frames [-- THINGS [software|card [town|molecule|protein]]]`. The machine needs no card: the page takes
 * drawing by software for one, and makes and hands over everything, but nothing is drawn. With `software` the software
 * draws, as on a machine without a card. Prints how many pictures the page shows in a second of playing, what one
 * takes of the page's thread, and how many corners and calls the card would get. Vehicles are on the map of their town;
 * a protein is drawn as a cartoon and as spheres.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as later } from "node:timers/promises";
import { entriesOf } from "../packages/simtape/src/cli/view/entries.ts";
import { serveView } from "../packages/simtape/src/cli/view/server.ts";
import { builtPage } from "../packages/viewer/test/support/build.ts";
import { hashOf, layoutOf } from "../packages/viewer/test/support/viewer.ts";
import { Chromium } from "./chromium.ts";
import { proteinOf } from "./make/protein.ts";

const SECONDS = 10;
const KINDS = { town: "carla", molecule: "nanover" } as const;

/** What the page counts for this benchmark. */
declare global {
  var counted: { corners: number; calls: number; pictures: number };
}

const [things = "10000", drawing, only] = process.argv.slice(2);
const isWanted = (name: string): boolean => only === undefined || name === only;
const folder = mkdtempSync(join(tmpdir(), "simtape-frames-"));
try {
  for (const [name, kind] of Object.entries(KINDS)) {
    if (!isWanted(name)) continue;
    const cli = new URL("../packages/simtape/bin/simtape.js", import.meta.url).pathname;
    execFileSync(process.execPath, [cli, "demo", kind, "-o", folder, "--seconds", "5", "--entities", things]);
  }
  if (isWanted("protein")) writeFileSync(join(folder, "protein.traj"), proteinOf(Number(things)));
  for (const name of readdirSync(folder)) console.log(`${name}: ${statSync(join(folder, name)).size} bytes`);
  const entries = await entriesOf([folder]);
  const server = await serveView({ folder: await builtPage(), entries });
  const cases = entries.flatMap((entry) =>
    (entry.name.startsWith("protein") ? (["cartoon", "spacefill"] as const) : [undefined]).map((style) => ({
      entry,
      style,
    })),
  );
  for (const { entry, style } of cases) {
    await using chromium = new Chromium({ width: 1280, height: 720 });
    await chromium.before(drawing === "software" ? count : pretend);
    const scene = style === undefined ? {} : { scene: { molecules: { style } } };
    const address = server.address([entry]) + hashOf({ shared: { layout: layoutOf(["scene"]), ...scene } });
    await chromium.open(address, () => document.querySelector("canvas[data-time]") !== null);
    // the page plays a long file while it scans it, which is not measured
    await chromium.run(async () => {
      while (simtape.state.value.decks[0]?.opened.isHead !== false)
        await new Promise((resolve) => setTimeout(resolve, 100));
      simtape.setLoop(simtape.bounds);
      simtape.play();
    });
    if (entry.name.endsWith(".log")) {
      const ready = await chromium.run(async () => {
        while (simtape.companions.value.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
        return performance.now();
      });
      console.log(`the road net of ${entry.name} is shown ${(ready / 1000).toFixed(1)} s after the page began to load`);
    }
    await later(4000);
    await chromium.send("Performance.enable");
    const before = await busy(chromium);
    const from = await chromium.run(() => ({ ...globalThis.counted }));
    await later(SECONDS * 1000);
    const to = await chromium.run(() => ({ ...globalThis.counted }));
    const after = await busy(chromium);
    const pictures = to.pictures - from.pictures;
    const each = (of: "corners" | "calls"): string => Math.round((to[of] - from[of]) / pictures).toLocaleString("en");
    const took = (of: "TaskDuration" | "ScriptDuration"): string =>
      (((after[of]! - before[of]!) * 1000) / pictures).toFixed(1);
    console.log(
      `${entry.name}${style === undefined ? "" : ` as ${style}`}, ${things} things: ${(pictures / SECONDS).toFixed(0)} pictures a second; for each ${took("ScriptDuration")} ms of script, ${took("TaskDuration")} ms of the page's thread in all, ${each("calls")} calls, ${each("corners")} corners`,
    );
  }
  await server.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Seconds that the page's thread has worked so far, by kind of work. */
async function busy(chromium: Chromium): Promise<Readonly<Record<string, number>>> {
  const { metrics } = await chromium.send("Performance.getMetrics");
  return Object.fromEntries((metrics as { name: string; value: number }[]).map(({ name, value }) => [name, value]));
}

/** In the page, before its own scripts: counts pictures only. */
function count(): void {
  const counted = { corners: 0, calls: 0, pictures: 0 };
  Object.assign(globalThis, { counted });
  new MutationObserver(() => counted.pictures++).observe(document, { subtree: true, attributeFilter: ["data-time"] });
}

/** In the page, before its own scripts: a graphics card that draws nothing, and counts what it is given. */
function pretend(): void {
  const counted = { corners: 0, calls: 0, pictures: 0 };
  Object.assign(globalThis, { counted });
  const methods = WebGL2RenderingContext.prototype as unknown as Record<string, (...args: never[]) => unknown>;
  const { getParameter } = methods;
  methods["getParameter"] = function (this: unknown, name: never) {
    const value = getParameter!.call(this, name);
    return typeof value === "string" ? value.replace(/swiftshader/gi, "a card") : value;
  };
  // The number of the argument that has the corners of a call, and of the one that has the copies.
  for (const [method, corners, copies] of [
    ["drawArrays", 2, null],
    ["drawElements", 1, null],
    ["drawArraysInstanced", 2, 3],
    ["drawElementsInstanced", 1, 4],
  ] as const) {
    methods[method] = (...args: readonly number[]) => {
      counted.corners += args[corners]! * (copies === null ? 1 : args[copies]!);
      counted.calls++;
    };
  }
  new MutationObserver(() => counted.pictures++).observe(document, { subtree: true, attributeFilter: ["data-time"] });
}
