import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { damage } from "../../src/engine/damage.ts";
import { Engine } from "../../src/engine/engine.ts";
import type { Damage } from "../../src/protocol.ts";
import { damageAt, damagePixels } from "../../src/timeline/damage.ts";
import { example } from "../support/viewer.ts";

const { signal } = new AbortController();
const ignore = (): void => undefined;

/** What is damaged in the small town when bytes are other than they were. */
async function damageOf(from: number, to: number): Promise<{ found: readonly Damage[]; start: number; end: number }> {
  const bytes = new Uint8Array(readFileSync(example("town.log")));
  bytes.fill(0xff, Math.round(from * bytes.length), Math.round(to * bytes.length));
  const engine = new Engine();
  const files = [new File([bytes], "town.log")];
  const { recording, timeline } = await engine.open({ kind: "files", name: "town.log", files }, signal, ignore);
  return { found: await damage(engine, { recording }, signal, ignore), ...timeline };
}

describe("damage", () => {
  test("lies in time about where it lies in the file", async () => {
    const { found, start, end } = await damageOf(0.5, 0.6);
    expect(found.length).toBeGreaterThan(0);
    const part = (time: number): number => (time - start) / (end - start);
    expect(part(Math.min(...found.map((one) => one.start)))).toBeGreaterThan(0.4);
    expect(part(Math.min(...found.map((one) => one.start)))).toBeLessThan(0.6);
    expect(part(Math.max(...found.map((one) => one.end)))).toBeGreaterThan(0.5);
    expect(part(Math.max(...found.map((one) => one.end)))).toBeLessThan(0.7);
    for (const one of found) expect(one.message).not.toBe("");
  });

  test("is nowhere in a sound recording", async () => {
    expect((await damageOf(0, 0)).found).toEqual([]);
  });

  test("is always wide enough to be seen, inside of what is shown, and found by a pointer on it", () => {
    const window = { start: 0, end: 1000 };
    const [first, last] = [
      { start: 500, end: 500, message: "first" },
      { start: 1000, end: 1000, message: "last" },
    ];
    expect(damagePixels(first, window, 100)).toEqual([50, 53]);
    expect(damagePixels({ ...first, end: 800 }, window, 100)).toEqual([50, 80]);
    expect(damagePixels(first, { start: 600, end: 1000 }, 100)).toBeNull();
    expect(damagePixels({ start: -50, end: 2000, message: "" }, window, 100)).toEqual([0, 100]);
    expect(damageAt([first, last], 51, window, 100)).toBe(first);
    expect(damageAt([first, last], 70, window, 100)).toBeNull();
    expect(damageAt([first, { ...last, start: 990 }], 99.5, window, 100)?.message).toBe("last");
  });
});
