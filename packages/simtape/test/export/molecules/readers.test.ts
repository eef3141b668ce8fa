import { describe, expect, it } from "vitest";
import { exported, expectedFrames, furthest, MOLECULES, partsOf } from "./expected.ts";
import { readDcd, readPdb, readXyz } from "./readers.ts";

describe("places of every frame, read by the descriptions of the formats", () => {
  it.each(MOLECULES)("equal those of the recording in XYZ: $name", async (recording) => {
    const expected = await expectedFrames(recording);
    const { report, files } = await exported(recording, "xyz");
    const frames = partsOf(files, "xyz").flatMap(readXyz);
    expect(frames).toHaveLength(expected.length);
    expect(report).toMatchObject({ of: ["particles"], count: expected.length, unit: "frame", lost: [] });
    for (const [k, { time, positions }] of expected.entries()) {
      // all digits of a float32: in nm it is the recorded one again
      const nanometres = Float32Array.from(frames[k]!.positions, (angstroms) => angstroms / 10);
      expect(
        furthest(
          nanometres,
          Float32Array.from(positions, (angstroms) => angstroms / 10),
        ),
      ).toBe(0);
      expect(Number(frames[k]!.comment.get("Time"))).toBeCloseTo(time / 1e9, 9);
    }
  });

  it.each(MOLECULES)("equal those of the recording in PDB to 0.0005 Å: $name", async (recording) => {
    const expected = await expectedFrames(recording);
    const { report, files } = await exported(recording, "pdb");
    const models = partsOf(files, "pdb").flatMap((bytes) => readPdb(bytes).models);
    expect(models).toHaveLength(expected.length);
    expect(report.count).toBe(expected.length);
    for (const [k, { positions }] of expected.entries())
      expect(furthest(models[k]!.positions, positions)).toBeLessThan(0.000501);
  });

  it.each(MOLECULES)("equal those of the recording in DCD, as float32: $name", async (recording) => {
    const expected = await expectedFrames(recording);
    const { report, files } = await exported(recording, "dcd");
    const parts = partsOf(files, "dcd").map(readDcd);
    const frames = parts.flatMap((part) => part.frames);
    expect(frames).toHaveLength(expected.length);
    expect(report.count).toBe(expected.length);
    for (const { stated, frames: there } of parts) expect(stated).toBe(there.length);
    for (const [k, { positions }] of expected.entries())
      expect(furthest(frames[k]!, Float32Array.from(positions))).toBe(0);
    // the PDB beside each has the first frame of it
    const companions = partsOf(files, "pdb").map(readPdb);
    expect(companions).toHaveLength(parts.length);
    for (const [k, { models }] of companions.entries())
      expect(furthest(models[0]!.positions, parts[k]!.frames[0]!)).toBeLessThan(0.00051);
  });
});
