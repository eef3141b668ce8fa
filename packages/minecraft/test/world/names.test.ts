import { UsageError } from "simtape/command";
import { expect, test } from "vitest";
import { worldId, worldIdOf, worldIn, worldVersion, worldVersionOf } from "../../src/world/names.ts";

test("ids and versions are as recordings have them", () => {
  expect(worldId("5BA7A26A-0e4d-4b9c-8155-0123456789ab")).toBe("5ba7a26a-0e4d-4b9c-8155-0123456789ab");
  expect(worldVersion("one")).toBe("6f6e65".padEnd(32, "0"));
  expect(worldVersion("0102")).toBe("0102".padEnd(32, "0"));
  expect(worldVersion("ff".repeat(16))).toBe("ff".repeat(16));
  expect(worldId(worldIdOf("play.example:25565"))).toBe(worldIdOf("play.example:25565"));
  expect(worldIdOf("play.example:25566")).not.toBe(worldIdOf("play.example:25565"));
  expect(worldVersion(worldVersionOf("run-1"))).toBe(worldVersionOf("run-1"));
  for (const flawed of ["", "x", "00000000-0000-0000-0000-000000000000", "5ba7a26a0e4d4b9c81550123456789ab"])
    expect(() => worldId(flawed)).toThrow(UsageError);
  for (const flawed of ["", "a name that is far too long"]) expect(() => worldVersion(flawed)).toThrow(UsageError);
});

test("a recording that names no world has none", () => {
  const world = { worldId: "5ba7a26a-0e4d-4b9c-8155-0123456789ab", worldVersion: "00" };
  expect(worldIn({ metadata: world })).toEqual({ id: world.worldId, version: "00" });
  expect(worldIn({ metadata: { ...world, worldId: "00000000-0000-0000-0000-000000000000" } })).toBeNull();
  expect(worldIn({ metadata: {} })).toBeNull();
});
