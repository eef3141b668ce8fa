import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { State } from "simtape";
import { Poses } from "../../../packages/viewer/src/scene/things/poses.ts";
import { Origin } from "../../../packages/viewer/src/scene/things/origin.ts";
import {
  drop,
  hasChromium,
  startViewer,
  untilOpen,
  type Viewer,
} from "../../../packages/viewer/test/support/viewer.ts";
import { DIALECTS } from "../src/layout.ts";
import { makeLog } from "./log.ts";

const MODULE = fileURLToPath(new URL("../dist/poselog.js", import.meta.url));

describe.skipIf(!hasChromium)("with the module, the viewer plays pose logs", () => {
  const folder = mkdtempSync(join(tmpdir(), "poselog-"));
  let viewer: Viewer;

  beforeAll(async () => {
    for (const dialect of DIALECTS) writeFileSync(join(folder, `${dialect}.plog`), await makeLog(dialect));
    const files = DIALECTS.map((dialect) => join(folder, `${dialect}.plog`));
    viewer = await startViewer(files, undefined, [MODULE]);
  });

  afterAll(async () => {
    await viewer?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  test.each(DIALECTS)("with rotations as %s, the scene has the right positions and orientations", async (dialect) => {
    const { page, errors } = await viewer.page(viewer.address(`${dialect}.plog`));
    await untilOpen(page);
    await page.evaluate(() => simtape.seek(5e9));
    await page.waitForFunction(() => simtape.frame?.time === 5e9);
    const poses = new Poses(new Origin());
    poses.update((await shownState(page)).sets.get("things"));
    expect(poses.ids).toEqual([7, 9]);
    // The scene's axes are those of the log: metres, y up. A thing's own are not: in the scene it looks along x.
    expect([...poses.positions.slice(0, 6)]).toEqual([5, 1, -2, 3, 5, 4]);
    // 7 has turned to the left by an eighth, from -z; 9 looks along -z, which is a quarter to the left of x.
    const [eighth, quarter] = [Math.PI / 4, Math.PI / 2];
    const expected = [eighth + quarter, quarter].flatMap((turn) => [0, Math.sin(turn / 2), 0, Math.cos(turn / 2)]);
    for (const [i, number] of expected.entries()) expect(poses.orientations[i], `${i}`).toBeCloseTo(number, 6);
    // The picture is drawn, and named for screen readers.
    const scene = page.getByRole("img", { name: /2 things of things/ });
    await scene.waitFor();
    await expect.poll(() => scene.getAttribute("data-time")).toBe("5000000000");
    expect(errors).toEqual([]);
    await page.close();
  });

  test("a log that the user drops on the page opens, too", async () => {
    const { page, errors } = await viewer.page(viewer.address());
    await drop(page, { "mine.plog": await makeLog("quaternion") });
    await untilOpen(page);
    expect(await page.evaluate(() => simtape.state.value.decks[0]!.opened.info.format)).toBe("poselog");
    expect(errors).toEqual([]);
    await page.close();
  });
});

/** The state that the page shows. */
async function shownState(page: Page): Promise<State> {
  const sets = await page.evaluate(() =>
    [...simtape.frame!.state.sets].map(([name, { ids, axes, columns }]) => ({
      name,
      ids: [...ids],
      axes,
      columns: [...columns].map(([key, column]) => ({ key, ...column, data: [...(column.data as Float64Array)] })),
    })),
  );
  return {
    time: 0,
    values: new Map(),
    sets: new Map(
      sets.map(({ name, ids, axes, columns }) => [
        name,
        {
          ids,
          axes,
          columns: new Map(
            columns.map(({ key, data, ...column }) => [key, { ...column, data: Float64Array.from(data) }]),
          ),
        },
      ]),
    ),
  };
}
