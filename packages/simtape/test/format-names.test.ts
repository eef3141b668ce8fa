import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { FORMATS } from "../src/formats.ts";
import { formatNamesIn } from "./format-names.ts";

const IDS = FORMATS.map(({ id }) => id);
const ROOT = new URL("../../../", import.meta.url);

function found(path: string, source: string): string[] {
  return formatNamesIn(`packages/${path}`, source, IDS);
}

describe("a format is known by name", () => {
  test("in its folder, its simulation, its commands and the composition root only", () => {
    const sources = ["packages/simtape/src", "packages/viewer/src"].flatMap((folder) =>
      readdirSync(fileURLToPath(new URL(folder, ROOT)), { recursive: true, encoding: "utf8" })
        .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
        .filter((path) => /\.tsx?$/.test(path)),
    );
    expect(sources.length).toBeGreaterThan(400);
    const wrong = sources.flatMap((path) => formatNamesIn(path, readFileSync(new URL(path, ROOT), "utf8"), IDS));
    expect(wrong).toEqual([]);
  });
});

describe("the check of it", () => {
  test.each([
    ["a text", 'if (info.format === "carla") stop();'],
    ["a text in other quotes", "const all = ['mira'];"],
    ["a template", "const id = `hcrp`;"],
    ["a word", "const table = { nanover: 1 };"],
    ["a word in a template", `say(\`\${flightgear.name} of this\`);`],
    ["an import", 'import { unitOf } from "../formats/flightgear/units.ts";'],
    ["an import when it runs", 'await import("../formats/carla/format.ts");'],
    ["an import from its commands", 'import { names } from "./commands/hcrp/names.ts";'],
    ["an import of the package", 'import { createHcrp } from "simtape/formats/hcrp";'],
    ["a text behind a pattern with quotes", 'const quote = /["\'`]/; const id = "mira";'],
  ])("finds %s, at its line", (_, line) => {
    expect(found("simtape/src/cli/any.ts", `\n${line}\n`)).toEqual([
      expect.stringMatching(
        /^packages\/simtape\/src\/cli\/any\.ts, line 2: knows (carla|mira|hcrp|nanover|flightgear) /,
      ),
    ]);
  });

  test.each([
    "// carla has its own",
    '/** `"carla"`, for one,\n * or mira. */',
    'const example = "simtape view race.hcrp town.log";',
    "const carlaLike = 1;",
    'const help = "NanoVer, CARLA, MIRA, FlightGear and HCRP recordings";',
  ])("passes over what is no id: %s", (text) => {
    expect(found("simtape/src/cli/any.ts", text)).toEqual([]);
  });

  test("knows who may", () => {
    const text = 'import { hcrp } from "../../formats/hcrp/format.ts";';
    for (const place of ["formats/hcrp/read/any.ts", "record/live/any.ts", "cli/commands/hcrp/any.ts", "formats.ts"])
      expect(found(`simtape/src/${place}`, text)).toEqual([]);
    for (const place of [
      "simtape/src/cli/commands/carla/any.ts",
      "simtape/src/play/live/any.ts",
      "viewer/src/formats/hcrp/any.ts",
    ])
      expect(found(place, text)).toHaveLength(2);
    expect(found("simtape/src/record/live/any.ts", 'const id = "mira";')).toHaveLength(1);
  });
});
