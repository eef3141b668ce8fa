import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MemoryFiles } from "simtape";
import { afterAll, describe, expect, test } from "vitest";
import { onePage } from "../support/one-page.ts";
import { backbone } from "../support/peptide.ts";
import { drop, hasChromium, hashOf, layoutOf, untilOpen, type Viewer } from "../support/viewer.ts";
import type { Page } from "playwright-core";
import { ByteBuilder, nanover, type Value, writeMessage } from "simtape/making";

const RESIDUES = 40;
const HELIX = backbone(Array.from({ length: RESIDUES }, () => [-57.8, -47] as const));
const ALL: Record<string, Value> = {
  "particle.elements": Uint8Array.from(HELIX, ({ element }) => element),
  "particle.names": HELIX.map(({ name }) => name),
  "particle.residues": Uint32Array.from(HELIX, ({ residue }) => residue),
  "residue.count": RESIDUES,
  "residue.names": Array.from({ length: RESIDUES }, () => "ALA"),
  "residue.ids": Array.from({ length: RESIDUES }, (_, i) => String(i + 1)),
  "residue.chains": new Uint32Array(RESIDUES),
  "chain.count": 1,
  "chain.names": ["A"],
};

/** A recording of the helix; `more`: what its first frame says beside the places. */
async function recording(more: Record<string, Value>): Promise<Uint8Array> {
  const files = new MemoryFiles("run.nanover.zip");
  const writer = await (await nanover.writing!()).create(files, {});
  const frames = writer.channel({ name: "frame" });
  const builder = new ByteBuilder(4096);
  const positions = Float32Array.from(HELIX.flatMap(({ place }) => [...place]));
  for (let n = 0; n < 3; n++) {
    const frame = { "frame.index": n, "particle.count": HELIX.length, "particle.positions": positions };
    writeMessage(builder, { frame: { ...frame, ...(n === 0 ? more : {}) } });
    writer.write(frames, n * 1e9, builder.take(), n === 0);
  }
  await writer.close();
  return files.bytes;
}

const folder = mkdtempSync(join(tmpdir(), "simtape-structures-"));
const command = fileURLToPath(new URL("../../../simtape/bin/simtape.js", import.meta.url));
const at = (name: string): string => join(folder, name);
writeFileSync(at("whole.nanover.zip"), await recording(ALL));
writeFileSync(at("beside.nanover.zip"), await recording({}));
writeFileSync(at("bare.nanover.zip"), await recording({}));
execFileSync(process.execPath, [command, "export", at("whole.nanover.zip"), "-o", at("beside.nanover.pdb")], {
  stdio: "ignore",
});
const PDB = readFileSync(at("beside.nanover.pdb"));
afterAll(() => rmSync(folder, { recursive: true }));

describe.skipIf(!hasChromium)("structures of molecules, in a browser", () => {
  let viewer: Viewer;
  let page: Page;
  onePage([folder], (opened) => {
    ({ viewer, page } = opened);
  });

  async function go(name: string): Promise<void> {
    await page.goto("about:blank");
    await page.goto(viewer.address(name) + hashOf({ shared: { layout: layoutOf(["scene", "info"]) } } as never));
    await untilOpen(page);
  }

  test("one beside a recording of places shows it as a cartoon, and lists its residues", async () => {
    await go("beside.nanover.zip");
    await page.getByText("beside.nanover.pdb, a structure (PDB), shown in the scene").waitFor();
    await page.getByRole("img", { name: /160 atoms.*drawn as cartoon/ }).waitFor();
    await page.getByRole("button", { name: "Molecules" }).click();
    await page.getByLabel("Chains and residues").selectOption({ label: "\u2003ALA 10" });
    // the page's state is what was recorded
    expect(await page.evaluate(() => [...simtape.frame!.state.sets.get("particles")!.columns.keys()])).toEqual([
      "position",
    ]);
  });

  test("one that is dropped later is shown, and one of other atoms is refused in one line", async () => {
    await go("bare.nanover.zip");
    await page.getByRole("img", { name: /160 atoms, 0 bonds/ }).waitFor();
    const lines = PDB.toString().split("\n");
    const short = lines.filter((line) => !/ALA A {2}40/.test(line)).join("\n");
    await drop(page, { "short.pdb": Buffer.from(short) });
    const refusal = /short\.pdb is not shown: it has 156 atoms, the recording 160/;
    await page.getByText(refusal).first().waitFor();
    await drop(page, { "right.pdb": PDB });
    await page.getByRole("img", { name: /drawn as cartoon/ }).waitFor();
  });
});
