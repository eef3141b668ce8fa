import { describe, expect, it } from "vitest";
import type { Frame } from "../../../src/export/molecules/frames.ts";
import { hybrid36 } from "../../../src/export/molecules/hybrid36.ts";
import { PdbAccount, PdbFile } from "../../../src/export/molecules/pdb-file.ts";
import type { Topology } from "../../../src/export/molecules/topology.ts";
import { type Lost, MemoryFiles } from "../../../src/index.ts";
import { furthest } from "./expected.ts";
import { lacking, seenBy } from "./programs.ts";
import { type ReadAtom, readPdb } from "./readers.ts";

function topology(made: Partial<Topology> & { readonly count: number }): Topology {
  const { count } = made;
  return {
    names: Array.from({ length: count }, () => ""),
    elements: new Uint32Array(count).fill(6),
    residueOf: new Int32Array(count).fill(made.residues === undefined ? -1 : 0),
    residues: [],
    chains: [],
    bonds: new Uint32Array(0),
    ...made,
  };
}

function frame(of: Topology, made: Partial<Frame> = {}): Frame {
  const positions = Float64Array.from({ length: 3 * of.count }, (_, k) => (k % 997) / 10);
  const set = { ids: [], columns: new Map(), axes: null };
  const rest = { time: 0, simulationTime: null, digits: 9, cell: null, set, rows: new Uint32Array(0) };
  return { ...rest, topology: of, positions, ...made };
}

async function written(
  one: Frame,
  isSingle = true,
): Promise<{ bytes: Uint8Array; notes: string[]; lost: readonly Lost[] }> {
  const files = new MemoryFiles("run.pdb");
  const sink = await files.open();
  const file = new PdbFile(sink, one, isSingle);
  const account = new PdbAccount();
  account.add("particles", file, one);
  await file.put(one);
  await file.end();
  await sink.close();
  return { bytes: files.bytes, notes: [...account.notes], lost: account.lost };
}

async function atomsOf(of: Topology): Promise<{ atoms: ReadAtom[]; lost: readonly Lost[] }> {
  const { bytes, lost } = await written(frame(of));
  return { atoms: readPdb(bytes).models[0]!.atoms, lost };
}

describe("a PDB", () => {
  it("has numbers beyond its columns in hybrid-36", () => {
    // the examples of cci.lbl.gov/hybrid_36
    expect([-9999, 0, 99999, 100000, 100010, 43770015, 43770016, 87440031].map((value) => hybrid36(5, value))).toEqual([
      "-9999",
      "    0",
      "99999",
      "A0000",
      "A000A",
      "ZZZZZ",
      "a0000",
      "zzzzz",
    ]);
    expect([hybrid36(4, 9999), hybrid36(4, 10000), hybrid36(4, 1223055), hybrid36(5, 87440032)]).toEqual([
      "9999",
      "A000",
      "ZZZZ",
      null,
    ]);
    expect(hybrid36(4, -1000)).toBeNull();
  });

  it("puts names where the element ends in column 14", async () => {
    const names = ["N", "CA", "CA", "HB1", "HG11", "CL", "FE2", ""];
    const elements = Uint32Array.of(7, 6, 20, 1, 1, 17, 26, 8);
    const { atoms } = await atomsOf(topology({ count: 8, names, elements }));
    expect(atoms.map(({ name }) => name)).toEqual([" N  ", " CA ", "CA  ", " HB1", "HG11", "CL  ", "FE2 ", " O  "]);
    expect(atoms.map(({ element }) => element)).toEqual([" N", " C", "CA", " H", " H", "CL", "FE", " O"]);
  });

  it("keeps insertion codes and letters of chains, and says what it cuts", async () => {
    const residues = [
      { name: "ALA", id: "52A", chain: 0 },
      { name: "POPC", id: "-3", chain: 1 },
      { name: "HOH", id: "12345", chain: 2 },
      { name: "", id: "x1", chain: -1 },
    ];
    const made = topology({
      count: 4,
      names: ["CA", "OXT21", "O", "Q"],
      residueOf: Int32Array.of(0, 1, 2, 3),
      residues,
      chains: ["B", "solvent", "B"],
    });
    const { atoms, lost } = await atomsOf(made);
    const columns = atoms.map(
      (atom) => `${atom.record} ${atom.residue} ${atom.chain} ${atom.residueId}${atom.insertion}`,
    );
    expect(columns).toEqual(["ATOM ALA B   52A", "HETATM POP A   -3 ", "HETATM HOH C A1T5 ", "HETATM UNL      4 "]);
    expect(lost.map(({ path, count }) => `${path} ${count}`)).toEqual([
      "particles/label 1",
      "residue.names 1",
      "residue.ids 1",
      "chain.names 2",
    ]);
  });

  it("ends each chain of a polymer by TER, which has a serial number", async () => {
    const residues = [
      { name: "ALA", id: "1", chain: 0 },
      { name: "GLY", id: "7", chain: 1 },
      { name: "HOH", id: "8", chain: 1 },
    ];
    const made = topology({ count: 4, residueOf: Int32Array.of(0, 0, 1, 2), residues, chains: ["A", "B"] });
    const { bytes } = await written(frame({ ...made, bonds: Uint32Array.of(1, 2, 2, 3) }));
    const { ters, models, connections } = readPdb(bytes);
    expect(ters).toEqual(["    3      ALA A   1 ", "    5      GLY B   7 "]);
    expect(models[0]!.atoms.map(({ serial }) => Number(serial))).toEqual([1, 2, 4, 6]);
    expect(connections.map((serials) => serials.map(Number))).toEqual([
      [2, 4],
      [4, 2, 6],
      [6, 4],
    ]);
  });

  it("continues the bonds of an atom with more than four", async () => {
    const bonds = Uint32Array.from({ length: 12 }, (_, k) => (k % 2 === 0 ? 0 : (k + 1) / 2));
    const { bytes } = await written(frame(topology({ count: 7, bonds })));
    const { connections } = readPdb(bytes);
    expect(connections.slice(0, 2).map((serials) => serials.map(Number))).toEqual([
      [1, 2, 3, 4, 5],
      [1, 6, 7],
    ]);
  });

  it("has a triclinic cell by lengths and angles", async () => {
    // by hand: a 10 along x, b 20 at 60 degrees in the plane, c 30 upright
    const cell = Float64Array.of(10, 0, 0, 10, 17.320508075688775, 0, 0, 0, 30);
    const { bytes, notes } = await written(frame(topology({ count: 1 }), { cell }));
    expect(readPdb(bytes).cell).toEqual([10, 20, 30, 90, 90, 60]);
    expect(notes).toEqual([]);
    const turned = await written(
      frame(topology({ count: 1 }), { cell: Float64Array.of(0, 10, 0, 10, 0, 0, 0, 0, 10) }),
    );
    expect(turned.notes.join()).toContain("put it along x");
  });

  it("refuses a place that its columns cannot hold", async () => {
    const one = topology({ count: 1 });
    const at = (x: number): Promise<unknown> => written(frame(one, { positions: Float64Array.of(x, 0, 0) }));
    await expect(at(9999.9996)).rejects.toThrow(RangeError);
    await expect(at(-999.9996)).rejects.toThrow("-999.999");
    await expect(at(9999.999)).resolves.toBeDefined();
    await expect(at(-999.999)).resolves.toBeDefined();
    const cell = Float64Array.of(1e6, 0, 0, 0, 10, 0, 0, 0, 10);
    await expect(written(frame(one, { cell }))).rejects.toThrow("99999.999");
  });

  it.skipIf(lacking("mdanalysis") !== null)(
    "of 100,010 atoms is read by MDAnalysis",
    { timeout: 120_000 },
    async () => {
      const count = 100_010;
      const names = Array.from({ length: count }, (_, k) => `C${k % 99}`);
      const one = frame(
        topology({ count, names, bonds: Uint32Array.of(0, 1, 5, 100_003, 99_998, 99_990, 100_008, 100_009) }),
      );
      const { bytes, lost } = await written(one);
      expect(lost).toMatchObject([{ path: "bond.pairs", count: 2 }]);
      const [seen] = seenBy("mdanalysis", [{ "run.pdb": bytes }]);
      expect(seen!.names).toEqual(names);
      expect(seen!.bonds).toEqual([
        [0, 1],
        [99_990, 99_998],
      ]);
      expect(furthest(seen!.frames[0]!, one.positions)).toBeLessThan(0.00052);
    },
  );
});
