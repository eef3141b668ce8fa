import { describe, expect, it } from "vitest";
import type { ExportOptions } from "../../../src/export/exporter.ts";
import { targetCalled } from "../../../src/export/targets.ts";
import type { Frame } from "../../../src/formats/nanover/layout/layout.ts";
import { type ByteSink, MemoryFiles, open, type SinkBundle, standardAxes } from "../../../src/index.ts";
import { bundleOfFiles } from "../../conformance/describe-format.ts";
import { zipOf } from "../../fixtures/nanover/containers.ts";
import { type Exported, exported, furthest, partsOf } from "./expected.ts";
import { lacking, seenBy } from "./programs.ts";
import { readDcd, readPdb, readXyz } from "./readers.ts";

const PROGRAMS = ["xyz", "pdb", "dcd"] as const;
const AKMA = 0.0488882129;
const ATOMS: Frame = {
  "frame.index": 0,
  "particle.elements": Uint8Array.of(8, 1, 1),
  "particle.names": ["OW", "HW1", "HW2"],
  "particle.residues": Uint32Array.of(0, 0, 0),
  "residue.names": ["HOH"],
  "residue.ids": ["1"],
  "residue.chains": Uint32Array.of(0),
  "chain.names": ["W"],
  "bond.pairs": Uint32Array.of(0, 1, 0, 2, 1, 0),
};
const BOX = { "system.box.vectors": Float32Array.of(3, 0, 0, 0, 4, 0, 0, 0, 5) };

function places(k: number, count = 3): Frame {
  return {
    "particle.positions": Float32Array.from({ length: 3 * count }, (_, i) => (i + 1) / 7 + k / 100),
    "particle.velocities": Float32Array.from({ length: 3 * count }, (_, i) => -i / 3 + k),
  };
}

/** A recording of frames 0.1 s apart. */
function recordingOf(frames: readonly Frame[]): Parameters<typeof exported>[0] {
  const moments = frames.map((frame, k) => ({ microseconds: 100_000 * (k + 1), frame }));
  return { bundle: () => bundleOfFiles({ "run.nanover.zip": zipOf(moments) }) };
}

const water = (count: number, more: (k: number) => Frame = () => ({})): Parameters<typeof exported>[0] =>
  recordingOf(
    Array.from({ length: count }, (_, k) => ({ ...(k === 0 ? { ...ATOMS, ...BOX } : {}), ...places(k), ...more(k) })),
  );

const dcds = ({ files }: Exported): ReturnType<typeof readDcd>[] => partsOf(files, "dcd").map(readDcd);

describe("steps of a DCD", () => {
  it("are those of the simulation when they are even", async () => {
    const made = await exported(
      water(5, (k) => ({ "system.simulation.time": 3 + k / 2 })),
      "dcd",
    );
    const [dcd] = dcds(made);
    expect(dcd!.step).toBeCloseTo(0.5 / AKMA, 5);
    expect(dcd!.firstStep).toBe(6);
    expect(made.report.notes).toEqual([]);
    if (lacking("mdanalysis") !== null) return;
    const [seen] = seenBy("mdanalysis", [
      { "run.pdb": made.files.get("run.pdb")!, "run.dcd": made.files.get("run.dcd")! },
    ]);
    expect(furthest(seen!.times!, [3, 3.5, 4, 4.5, 5])).toBeLessThan(1e-5);
    expect(seen!.boxes).toEqual(Array.from({ length: 5 }, () => [30, 40, 50, 90, 90, 90]));
  });

  it("are their mean when they are not, which is said", async () => {
    const made = await exported(
      water(3, (k) => ({ "system.simulation.time": k * k })),
      "dcd",
    );
    expect(dcds(made)[0]!.step).toBeCloseTo(2 / AKMA, 4);
    expect(made.report.notes.join()).toContain("their mean");
  });

  it("are not stated when no time is known, or it goes back", async () => {
    for (const time of [(): Frame => ({}), (k: number): Frame => ({ "system.simulation.time": 5 - k })]) {
      const made = await exported(water(3, time), "dcd");
      expect(dcds(made)[0]!.step).toBe(0);
      expect(made.report.notes.join()).toContain("no step is stated");
    }
  });
});

describe("particles that change", () => {
  const changing = recordingOf([
    { ...ATOMS, ...places(0) },
    places(1),
    {
      ...ATOMS,
      "particle.elements": Uint8Array.of(8, 1, 1, 6),
      "particle.names": ["O", "H", "H", "C"],
      "particle.residues": Uint32Array.of(0, 0, 0, 0),
      ...places(2, 4),
    },
    { "frame.index": 1, ...places(3, 4) },
  ]);

  it.each(PROGRAMS)("begin a file, which is said: %s", async (to) => {
    const { report, files } = await exported(changing, to);
    expect(partsOf(files, to)).toHaveLength(2);
    expect(report.count).toBe(4);
    expect(report.notes.join("\n")).toContain(`run-2.${to} begins at 0.3 s, where the particles change: 4 of them`);
  });

  it("stay in one stream of XYZ", async () => {
    const files = new MemoryFiles("-");
    const pipe: SinkBundle = { name: null, open: (name?: string): Promise<ByteSink> => files.open(name) };
    await using recording = await open(changing.bundle());
    const report = await (await targetCalled("xyz")!.load()).write(recording, pipe, {});
    expect(readXyz(files.bytes).map(({ species }) => species.length)).toEqual([3, 3, 4, 4]);
    expect(report.notes).toEqual(["at 0.3 s the particles change: 4 of them"]);
    await expect((await targetCalled("dcd")!.load()).write(recording, pipe, {})).rejects.toThrow("a name for them");
  });

  it("are the same ones while another box comes, which a DCD has in all frames or in none", async () => {
    const boxed = recordingOf([{ ...ATOMS, ...places(0) }, { ...places(1), ...BOX }, places(2)]);
    const dcd = await exported(boxed, "dcd");
    expect(dcds(dcd).map(({ frames, cells }) => [frames.length, cells.length])).toEqual([
      [1, 0],
      [2, 2],
    ]);
    expect(dcds(dcd)[1]!.cells[0]).toEqual([30, 90, 40, 90, 90, 50]);
    expect(partsOf((await exported(boxed, "pdb")).files, "pdb")).toHaveLength(1);
  });

  it("begin a file after 9,999 models of a PDB", async () => {
    const { files, report } = await exported(water(10_001), "pdb");
    const [first, second] = partsOf(files, "pdb").map(readPdb);
    expect(first!.models.map(({ number }) => number)).toEqual(Array.from({ length: 9999 }, (_, k) => k + 1));
    expect(second!.models.map(({ number }) => number)).toEqual([1, 2]);
    expect(report.notes.join()).toContain("run-2.pdb begins at 1000 s");
  });
});

describe("a DCD of places that no PDB holds", () => {
  it("is alone, which is counted as lost", async () => {
    const far = { "particle.positions": Float32Array.of(1000, 0, 0, 1, 1, 1, 2, 2, 2) };
    const made = await exported(recordingOf([{ ...ATOMS, ...far }]), "dcd");
    expect([...made.files.keys()]).toEqual(["run.dcd"]);
    expect(made.report.lost).toMatchObject([{ path: "particles", count: 3 }]);
    expect(dcds(made)[0]!.frames[0]!.slice(0, 3)).toEqual([10000, 0, 0]);
    await expect(exported(recordingOf([{ ...ATOMS, ...far }]), "pdb")).rejects.toThrow("not 10000");
  });
});

describe("a frame whose particles have no place", () => {
  it.each(PROGRAMS)("is left out, and counted: %s", async (to) => {
    const hole = { "particle.positions": Float32Array.of(1, 1, 1, Number.NaN, 1, 1, 1, 1, 1) };
    const made = await exported(recordingOf([{ ...ATOMS, ...places(0) }, hole, places(2)]), to);
    expect(made.report).toMatchObject({ count: 2, lost: [{ path: "particles", count: 1 }] });
    const nothing = exported(recordingOf([{ ...ATOMS, ...hole }]), to);
    await expect(nothing).rejects.toThrow("have a place");
  });
});

describe("options", () => {
  it("choose particles, with the bonds between them", async () => {
    const { files } = await exported(water(2), "pdb", { ids: ["2", 0] });
    const { models, connections } = readPdb(files.get("run.pdb")!);
    expect(models[0]!.atoms.map(({ name }) => name.trim())).toEqual(["OW", "HW2"]);
    expect(connections.map((serials) => serials.map(Number))).toEqual([
      [1, 2],
      [2, 1],
    ]);
    await expect(exported(water(2), "pdb", { ids: [7] })).rejects.toThrow("nothing in particles has the id 7");
  });

  it("choose times", async () => {
    const times = async (options: ExportOptions): Promise<number[]> =>
      readXyz((await exported(water(10), "xyz", options)).files.get("run.xyz")!).map(({ comment }) =>
        Number(comment.get("Time")),
      );
    expect(await times({ start: 3e8, end: 5e8 })).toEqual([0.3, 0.4]);
    expect(await times({ every: 25e7 })).toEqual([0.1, 0.35, 0.6, 0.85]);
    expect(await times({ start: 9.5e8, time: "ns" })).toEqual([1e9]);
    await expect(times({ start: 5e9 })).rejects.toThrow(RangeError);
  });

  it("add columns of numbers to XYZ", async () => {
    const { files } = await exported(water(2), "xyz", { columns: ["velocity"] });
    const [first, second] = readXyz(files.get("run.xyz")!);
    expect(first!.comment.get("Properties")).toBe("species:S:1:pos:R:3:velocity:R:3");
    expect(first!.comment.get("velocity_unit")).toBe("nm/ps");
    const recorded = places(1)["particle.velocities"] as Float32Array;
    expect(furthest(Float32Array.from(second!.more), recorded)).toBe(0);
    await expect(exported(water(2), "xyz", { columns: ["mass"] })).rejects.toThrow('no numbers "mass"');
  });

  it("leave units out", async () => {
    const { files } = await exported(water(1), "xyz", { units: false });
    expect([...readXyz(files.get("run.xyz")!)[0]!.comment.keys()].join(" ")).not.toContain("unit");
  });

  it("turn to other axes, the cell too", async () => {
    const { files } = await exported(water(1), "xyz", { axes: standardAxes("right", "y") });
    const [frame] = readXyz(files.get("run.xyz")!);
    const [x, y, z] = places(0)["particle.positions"] as unknown as [number, number, number];
    expect(furthest(frame!.positions.slice(0, 3), [x * 10, z * 10, -y * 10])).toBeLessThan(1e-9);
    expect(frame!.comment.get("Lattice")!.split(" ").map(Number)).toEqual([30, 0, 0, 0, 0, -40, 0, 50, 0]);
  });

  it.each(PROGRAMS)("that do not fit are refused: %s", async (to) => {
    await expect(exported(water(1), to, { channel: "frame" })).rejects.toThrow(TypeError);
    await expect(exported(water(1), to, { set: "avatars" })).rejects.toThrow("there are: particles");
    if (to !== "xyz") await expect(exported(water(1), to, { columns: ["velocity"] })).rejects.toThrow(TypeError);
  });
});
