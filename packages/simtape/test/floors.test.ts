import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { checkFloors } from "./floors.ts";
import { importsOf } from "./imports.ts";

const { isOfCore } = (await import(new URL("../../../scripts/core.mjs", import.meta.url).href)) as {
  isOfCore: (path: string) => boolean;
};

/** A tree in which every import is as it should be. */
const SOUND: Readonly<Record<string, string>> = {
  "bytes/cursor.ts": `import { LayoutError } from "./error.ts";`,
  "bytes/error.ts": "export class LayoutError extends Error {}",
  "codec/nbt.ts": `import { ByteCursor } from "../bytes/cursor.ts";`,
  "io/source/source.ts": `import type { LayoutError } from "../../bytes/error.ts";`,
  "io/node/file.ts": `import { open } from "node:fs/promises";\nimport type { ByteSource } from "../source/source.ts";`,
  "model/open.ts": `import { nbt } from "../codec/nbt.ts";\nexport { type ByteSource } from "../io/source/source.ts";`,
  "formats/carla/format.ts": `import { read } from "./layout.ts";\nimport { open } from "../../model/open.ts";`,
  "formats/carla/layout.ts": `import { ByteCursor } from "../../bytes/cursor.ts";\nimport pako from "fflate";`,
  "formats/mira/format.ts": "export const mira = 1;",
  "ops/check.ts": `import type { Recording } from "../model/open.ts";`,
  "play/clock.ts": "export const now = 1;",
  "formats.ts": `import { carla } from "./formats/carla/format.ts";`,
  "index.ts": `export { FORMATS } from "./formats.ts";\nexport { check } from "./ops/check.ts";`,
  "cli/main.ts": `import { argv } from "node:process";\nimport { open } from "../index.ts";\nawait import("./info.ts");`,
  "cli/info.ts": `import { file } from "../io/node/file.ts";`,
};

function check(changes: Readonly<Record<string, string>> = {}): { imports: number; wrong: readonly string[] } {
  return checkFloors(new Map(Object.entries({ ...SOUND, ...changes })));
}

describe("the floors of the source", () => {
  const root = fileURLToPath(new URL("../src", import.meta.url));
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
  const files = new Map(paths.map((path) => [path.replaceAll("\\", "/"), readFileSync(join(root, path), "utf8")]));
  const report = checkFloors(files);
  const core = [...files].filter(([path]) => isOfCore(path.replace(/\.ts$/, ".js")));

  test("hold: nothing imports upward, sideways, or node: where it may not", () => {
    expect(report.wrong).toEqual([]);
  });

  test("let simtape-core stand alone: its files import none of simtape's other files", () => {
    const outside = core.flatMap(([path, text]) =>
      importsOf(text)
        .filter((target) => target.startsWith("."))
        .map((target) => posix.join(posix.dirname(path), target))
        .filter((target) => !isOfCore(target.replace(/\.ts$/, ".js")))
        .map((target) => `${path} imports ${target}`),
    );
    expect(outside).toEqual([]);
    expect(core.length).toBeGreaterThan(300);
  });

  test("let simtape-core depend on the packages that its files import", () => {
    const names = core.flatMap(([, text]) =>
      importsOf(text).filter((target) => /^@?[a-z]/.test(target) && !target.startsWith("node:")),
    );
    const packages = new Set(names.map((target) => target.match(/^(@[^/]+\/)?[^/]+/)![0]));
    const { dependencies } = JSON.parse(readFileSync(new URL("../../core/package.json", import.meta.url), "utf8")) as {
      dependencies: Readonly<Record<string, string>>;
    };
    expect([...packages].sort()).toEqual(Object.keys(dependencies));
  });

  test("were looked at: the tree and its imports were read", () => {
    expect(files.size).toBeGreaterThan(80);
    expect(report.imports).toBeGreaterThan(300);
  });
});

describe("the check of the floors", () => {
  test("finds nothing in a tree that is as it should be, and counts its imports", () => {
    expect(check()).toEqual({ imports: 19, wrong: [] });
  });

  test.each([
    ["from bytes", "bytes/cursor.ts", "../codec/nbt.ts"],
    ["from codec", "codec/nbt.ts", "../model/open.ts"],
    ["from io", "io/source/source.ts", "../../model/open.ts"],
    ["of a format by the model", "model/open.ts", "../formats/carla/format.ts"],
    ["of ops by a format", "formats/carla/format.ts", "../../ops/check.ts"],
    ["of the root by a format", "formats/mira/format.ts", "../../formats.ts"],
    ["of the root by ops", "ops/check.ts", "../index.ts"],
    ["of a command by ops", "ops/check.ts", "../cli/info.ts"],
  ])("finds an import upward %s", (_, path, target) => {
    expect(check({ [path]: `import { x } from "${target}";` }).wrong).toEqual([
      `${path} imports ${target}: it is on a higher floor`,
    ]);
  });

  test.each([
    ["codec and io", "codec/nbt.ts", "../io/source/source.ts"],
    ["io and codec", "io/source/source.ts", "../../codec/nbt.ts"],
    ["two formats", "formats/mira/format.ts", "../carla/layout.ts"],
    ["ops and play", "ops/check.ts", "../play/clock.ts"],
    ["a root file and a command", "index.ts", "./cli/main.ts"],
  ])("finds an import sideways between %s", (_, path, target) => {
    expect(check({ [path]: `export * from "${target}";` }).wrong).toEqual([
      `${path} imports ${target}: it is a neighbour on the same floor`,
    ]);
  });

  test.each([
    "bytes/error.ts",
    "io/source/source.ts",
    "model/open.ts",
    "formats/mira/format.ts",
    "ops/check.ts",
    "index.ts",
  ])("finds node: in %s", (path) => {
    expect(check({ [path]: `import type { Stats } from "node:fs";` }).wrong).toEqual([
      `${path} imports node:fs: node: is for io/node and cli`,
    ]);
  });

  test.each(["model/open.ts", "io/source/source.ts", "index.ts"])("finds what is only for Node behind %s", (path) => {
    const target =
      path === "index.ts"
        ? "./io/node/file.ts"
        : path === "io/source/source.ts"
          ? "../node/file.ts"
          : "../io/node/file.ts";
    expect(check({ [path]: `import { file } from "${target}";` }).wrong).toEqual([
      `${path} imports ${target}: io/node is for cli and for users`,
    ]);
  });

  test.each([
    ["upward", "formats/hcrp/layout/chunk.ts", "../write/writer.ts", "it is in a higher room"],
    ["upward to the format itself", "formats/hcrp/read/reader.ts", "../format.ts", "it is in a higher room"],
    ["of any format", "formats/mira/meaning/state.ts", "../read/reader.ts", "it is in a higher room"],
    ["of io", "io/source/blob.ts", "../sink/sink.ts", "it is in a higher room"],
    ["of the model", "model/fold.ts", "./side-car/side-car.ts", "it is in a higher room"],
    [
      "from a side-car to what opens with it",
      "model/side-car/open-with.ts",
      "../recording.ts",
      "it is in a higher room",
    ],
    ["of the command", "cli/input/time.ts", "../output/json.ts", "it is in a higher room"],
    ["sideways", "record/retain/retain.ts", "../compact/compact.ts", "it is in a neighbouring room"],
    [
      "from a room of a format that is not planned",
      "formats/mira/attic/a.ts",
      "../layout/b.ts",
      "there is no room attic in formats/mira",
    ],
    ["from a room that is not planned", "record/attic/box.ts", "../live/world.ts", "there is no room attic in record"],
  ])("finds an import between rooms %s", (_, path, target, problem) => {
    const changes = { [posix.join(posix.dirname(path), target)]: "", [path]: `import { x } from "${target}";` };
    expect(check(changes).wrong).toEqual([`${path} imports ${target}: ${problem}`]);
  });

  test("lets a room use those below it, and itself", () => {
    const files = {
      "record/live/world.ts": `import "./body.ts";`,
      "record/live/body.ts": "",
      "record/retain/retain.ts": `import "../live/world.ts";`,
      "record/index.ts": `export * from "./retain/retain.ts";`,
    };
    expect(check(files).wrong).toEqual([]);
  });

  test("finds areas and root files without a floor, and files that are not there", () => {
    expect(check({ "extra/thing.ts": "", "other.ts": "" }).wrong).toEqual([
      "extra/thing.ts is in an area without a floor",
      "other.ts is in an area without a floor",
    ]);
    expect(check({ "ops/check.ts": `import "../model/gone.ts";` }).wrong).toEqual([
      "ops/check.ts imports ../model/gone.ts: there is no such file",
    ]);
  });

  test("sees imports over several lines, of types, of side effects and at run time, but none in comments", () => {
    const target = "../formats/carla/format.ts";
    const forms = [
      `import {\n  a,\n  b,\n} from "${target}";`,
      `import type { A } from '${target}';`,
      `export * from "${target}";`,
      `import "${target}";`,
      `const carla = await import("${target}");`,
      `const carla = await import(\n  "${target}"\n);`,
    ];
    for (const form of forms) expect(check({ "model/open.ts": form }).wrong, form).toHaveLength(1);
    for (const form of [`// import "${target}";`, `/** import "${target}";\n * from "${target}"\n */`])
      expect(check({ "model/open.ts": form }).wrong, form).toEqual([]);
  });
});
