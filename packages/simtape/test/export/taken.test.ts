import { describe, expect, test } from "vitest";
import { simtape } from "../cli/run.ts";
import { example } from "../support/example.ts";
import {
  EXPORT_TARGETS,
  type ExportOptions,
  MemoryFiles,
  open,
  originAt,
  standardAxes,
  type TargetOption,
} from "../../src/index.ts";
import { fromFile } from "../../src/io/node/index.ts";

/** Each option as it is when it is given. */
const GIVEN: Readonly<Record<TargetOption, ExportOptions>> = {
  channel: { channel: "position" },
  columns: { columns: ["position"] },
  ids: { ids: [24] },
  axes: { axes: standardAxes("right", "z") },
  origin: { origin: originAt(48, 11) },
  units: { units: false },
  time: { time: "ns" },
  original: { original: { bundle: fromFile(example("town.log")) } },
};

describe("a target", () => {
  test.each(EXPORT_TARGETS.map((target) => [target.id, target] as const))(
    "%s refuses each option that it has no use for, before it opens a file",
    async (id, target) => {
      const recording = await open(fromFile(example("town.log")));
      const exporter = await target.load();
      for (const [name, options] of Object.entries(GIVEN) as [TargetOption, ExportOptions][]) {
        const files = new MemoryFiles(`out.${target.extensions[0]!}`);
        const refused = await exporter.write(recording, files, options).then(
          () => null,
          (error: unknown) => error,
        );
        const isRefusal = refused instanceof TypeError && refused.message.startsWith(`${id} takes no `);
        expect([name, isRefusal]).toEqual([name, !target.takes.includes(name)]);
        if (isRefusal) expect([...files.files.keys()]).toEqual([]);
      }
      await recording.close();
    },
  );

  test("refuses a set together with a channel", async () => {
    const recording = await open(fromFile(example("town.log")));
    for (const target of EXPORT_TARGETS.filter(({ takes }) => takes.includes("channel"))) {
      const exporter = await target.load();
      const both = { set: "vehicles", channel: "position" };
      await expect(exporter.write(recording, new MemoryFiles("out"), both)).rejects.toThrow("do not go together");
    }
    await recording.close();
  });

  test.each([
    ["kml", ["--columns", "position"], "kml takes no columns, only a set, times, an interval, ids and an origin"],
    ["gltf", ["--axes", "standard"], "gltf takes no axes"],
    ["gpx", ["--time", "ns"], "gpx takes no unit of time"],
    ["czml", ["--no-units"], "czml takes no units"],
    ["parquet", ["--original"], "parquet takes no files of the recording"],
  ])("%s with %j is wrong usage", async (to, words, text) => {
    const ended = await simtape(["export", example("town.log"), "--to", to, "-o", "/dev/null/never", ...words]);
    expect({ exit: ended.exit, stderr: ended.stderr }).toEqual({ exit: 2, stderr: expect.stringContaining(text) });
  });

  test("lists what it takes", async () => {
    const { stdout } = await simtape(["export", example("town.log"), "--list", "--json"]);
    const { targets } = JSON.parse(stdout) as { targets: { id: string; takes: string[] }[] };
    expect(targets.map(({ id, takes }) => [id, takes])).toEqual(EXPORT_TARGETS.map(({ id, takes }) => [id, takes]));
  });
});
