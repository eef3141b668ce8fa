import { validateBytes } from "gltf-validator";
import { describe, expect, it } from "vitest";
import { exported } from "../molecules/expected.ts";
import { bundleOfFiles } from "../../conformance/describe-format.ts";
import { zipOf } from "../../fixtures/nanover/containers.ts";
import type { Frame } from "../../../src/formats/nanover/layout/layout.ts";
import { standardAxes } from "../../../src/index.ts";
import { SOUND } from "../../specimens.ts";
import { ReadScene } from "./reader.ts";

const town = SOUND.find(({ format }) => format === "carla")!;

/** A recording of frames 0.1 s apart. */
function recordingOf(frames: readonly Frame[]): Parameters<typeof exported>[0] {
  const moments = frames.map((frame, k) => ({ microseconds: 100_000 * (k + 1), frame }));
  return { bundle: () => bundleOfFiles({ "run.nanover.zip": zipOf(moments) }) };
}

const atoms = (count: number, k: number, elements = 6): Frame => ({
  "frame.index": 0,
  "particle.elements": new Uint8Array(count).fill(elements),
  "particle.positions": Float32Array.from({ length: 3 * count }, (_, i) => i + k),
});

describe("a scene", () => {
  it("is JSON with a buffer beside it when its name says so", async () => {
    const { files } = await exported(town, "gltf", {}, "a town.gltf");
    expect([...files.keys()].sort()).toEqual(["a town.bin", "a town.gltf"]);
    const bytes = files.get("a town.gltf")!;
    const { issues } = await validateBytes(bytes, {
      externalResourceFunction: async (uri) => files.get(decodeURIComponent(uri))!,
    });
    expect(issues).toMatchObject({ numErrors: 0, numWarnings: 0 });
    const binary = (await exported(town, "gltf", {}, "town.glb")).files.get("town.glb")!;
    expect(ReadScene.ofText(bytes, files.get("a town.bin")!).at(1)).toEqual(ReadScene.ofBinary(binary).at(1));
  });

  it("has names of things, and what they are", async () => {
    const { files } = await exported(town, "gltf", {}, "town.glb");
    const { nodes } = ReadScene.ofBinary(files.get("town.glb")!).json;
    const names = nodes!.map(({ name }) => name);
    expect(names).toContain("vehicles");
    expect(names.some((name) => /^hero \(vehicles\/\d+\)$/.test(name))).toBe(true);
  });

  it("shows things when they are there, and what comes in their place as others", async () => {
    const recording = recordingOf([atoms(1, 0), atoms(3, 1), atoms(1, 2), atoms(1, 3, 8), atoms(1, 4, 8)]);
    const { files } = await exported(recording, "gltf", {}, "run.glb");
    const scene = ReadScene.ofBinary(files.get("run.glb")!);
    const there = (time: number): string[] =>
      scene
        .at(Math.fround(time))
        .filter(({ scale }) => scale === 1)
        .map(({ id, place: [x] }) => `${id} at ${x!.toFixed(3)}`);
    expect(there(0)).toEqual(["0 at 0.000"]);
    expect(there(0.1)).toEqual(["0 at 1.000", "1 at 4.000", "2 at 7.000"]);
    expect(there(0.15)).toHaveLength(3);
    expect(there(0.2)).toEqual(["0 at 2.000"]);
    expect(there(0.3)).toEqual(["0 at 3.000"]);
    expect(there(0.35)).toEqual(["0 at 3.500"]);
    // four nodes: the oxygen is another thing than the carbon
    expect(scene.at(0)).toHaveLength(4);
  });

  it("is refused above a number of things, with what helps", async () => {
    const many = recordingOf([atoms(20_001, 0)]);
    await expect(exported(many, "gltf", {}, "run.glb")).rejects.toThrow(/more than 20,000 things.*--every.*--id/);
    const { report } = await exported(many, "gltf", { ids: [3, "4"] }, "run.glb");
    expect(report.count).toBe(1);
  });

  it("is refused above a number of keyframes", { timeout: 60_000 }, async () => {
    const moving = recordingOf(Array.from({ length: 110 }, (_, k) => atoms(19_000, k)));
    await expect(exported(moving, "gltf", {}, "run.glb")).rejects.toThrow(/2,000,000 keyframes after 10\.\d s/);
  });

  it("takes moments that options choose", async () => {
    const recording = recordingOf(Array.from({ length: 10 }, (_, k) => atoms(2, k)));
    const { files, report } = await exported(recording, "gltf", { every: 3e8, start: 2e8 }, "run.glb");
    expect(report).toMatchObject({ of: ["particles"], count: 3, unit: "moment" });
    expect(report.notes).toContain("the animation begins at 0.2 s of the recording");
    const scene = ReadScene.ofBinary(files.get("run.glb")!);
    expect(scene.at(0.3).map(({ place: [x] }) => Math.round(x! * 1000))).toEqual([4000, 7000]);
  });

  it("refuses options that do not fit", async () => {
    await expect(exported(town, "gltf", { axes: standardAxes("right", "y") })).rejects.toThrow(TypeError);
    await expect(exported(town, "gltf", { columns: ["speed"] })).rejects.toThrow(TypeError);
    await expect(exported(town, "gltf", { channel: "x" })).rejects.toThrow(TypeError);
    await expect(exported(town, "gltf", { set: "ships" })).rejects.toThrow("there are: vehicles");
    await expect(exported(town, "gltf", { ids: [987654] })).rejects.toThrow("has the id 987654");
    await expect(exported(town, "gltf", { start: 1e15 })).rejects.toThrow("has a place in this part");
  });
});
