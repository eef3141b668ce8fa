import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type Format, formatFrom } from "../src/core.ts";
import { carla } from "../src/formats/carla/format.ts";
import type { FormatModule } from "../src/format-module.ts";
import * as kit from "../src/kit.ts";

const SRC = fileURLToPath(new URL("../src", import.meta.url));
const textOf = (path: string): string => readFileSync(join(SRC, path), "utf8");

/** Names that a file takes from, or passes on of, other files: each with the path of that file below `src`. */
function namesIn(path: string, word: "import" | "export"): (readonly [name: string, from: string])[] {
  const statements = textOf(path).matchAll(new RegExp(`^${word} (?:type )?\\{([^}]*)\\} from "([^"]+)"`, "gm"));
  return [...statements].flatMap(([, names, from]) =>
    names!
      .split(",")
      .map((name) => name.trim().replace(/^type /, ""))
      .filter((name) => name !== "")
      .map((name) => [name.split(" as ")[0]!, posix.join(posix.dirname(path), from!)] as const),
  );
}

const KIT = namesIn("kit.ts", "export");

/** The comment before the declaration of a name; null: there is none. */
function commentOf(name: string, path: string): string | null {
  const text = textOf(path);
  const declaration = new RegExp(
    `(/\\*\\*(?:(?!\\*/)[^])*\\*/\\n)?^export (?:async )?(?:function\\*?|class|const|interface|type) ${name}\\b`,
    "m",
  ).exec(text);
  if (declaration !== null) return declaration[1] ?? null;
  const passedOn = namesIn(path, "export").find(([one]) => one === name);
  return passedOn === undefined ? null : commentOf(name, passedOn[1]);
}

describe("simtape/kit", () => {
  test("says of each of its names what it is", () => {
    const parts = [...textOf("bytes/field-parts.ts").matchAll(/^export (?:function|const|type) (\w+)/gm)];
    const names = [...KIT, ...parts.map(([, name]) => [name!, "bytes/field-parts.ts"] as const)];
    expect(names.filter(([name, path]) => commentOf(name, path) === null)).toEqual([]);
    expect(names.length).toBeGreaterThan(100);
  });

  test("is all in docs/kit.md, which travels with the package", () => {
    const page = readFileSync(fileURLToPath(new URL("../../../docs/kit.md", import.meta.url)), "utf8");
    expect(Object.keys(kit).filter((name) => !new RegExp(`\\b${name}\\b`).test(page))).toEqual([]);
    const { files } = JSON.parse(readFileSync(join(SRC, "../package.json"), "utf8")) as { files: string[] };
    expect(files).toContain("docs");
  });

  test("has what two or more of the formats use", () => {
    const users = new Map<string, Set<string>>();
    for (const path of readdirSync(join(SRC, "formats"), { recursive: true, encoding: "utf8" })) {
      if (!path.endsWith(".ts")) continue;
      for (const [name, from] of namesIn(posix.join("formats", path), "import")) {
        if (from.startsWith("formats/") || from === "bytes/field-parts.ts") continue;
        const key = `${name} of ${from}`;
        users.set(key, (users.get(key) ?? new Set()).add(path.split("/")[0]!));
      }
    }
    const shared = [...users].filter(([, formats]) => formats.size > 1).map(([key]) => key);
    const there = new Set(KIT.map(([name]) => name));
    expect(shared.filter((key) => !there.has(key.split(" ")[0]!))).toEqual([]);
    expect(shared.length).toBeGreaterThan(50);
  });
});

describe("a format module", () => {
  const made = (value: unknown): FormatModule => ({ default: value }) as FormatModule;

  test("is given the kit, and makes a format of it", async () => {
    let given: unknown = null;
    const module: FormatModule = {
      default: (of): Format => {
        given = of;
        return carla;
      },
    };
    expect(await formatFrom(module, "town.js")).toBe(carla);
    expect(given).toBe(kit);
  });

  test.each([
    ["no function", carla, "expected a function as default export, found object: town.js"],
    ["nothing", () => undefined, "its default export makes no format, but undefined: town.js"],
    [
      "a bad id",
      () => ({ ...carla, id: "a/b" }),
      "its default export makes no format, its id is not of a-z, 0-9 and -",
    ],
    ["no reader", () => ({ ...carla, open: null }), "its default export makes no format, it cannot sniff or open"],
  ])("with %s is refused", async (_, value, message) => {
    await expect(formatFrom(made(value), "town.js")).rejects.toThrow(message);
  });
});
