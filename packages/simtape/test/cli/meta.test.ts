import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { loadZstd } from "../../src/kit.ts";
import { twoEpochs, walk } from "../fixtures/hcrp/make.ts";
import { segmented } from "../fixtures/hcrp/recording.ts";
import { simtape } from "./run.ts";

const folder = mkdtempSync(join(tmpdir(), "simtape-meta-"));
const at = (name: string): string => join(folder, name);

afterAll(() => rmSync(folder, { recursive: true }));

async function live(name: string, content = walk()): Promise<string> {
  const path = mkdtempSync(at(name));
  for (const [file, bytes] of Object.entries(segmented(await loadZstd(), content, 2)))
    writeFileSync(join(path, file), bytes);
  return path;
}

async function got(file: string, path?: string): Promise<unknown> {
  const { stdout } = await simtape(path === undefined ? ["meta", "get", file] : ["meta", "get", file, path]);
  return JSON.parse(stdout);
}

test("row 2: 1,000 marks are added by meta set, to segments and to one file, and read back equal", async () => {
  const source = await live("live-");
  const marks = Array.from({ length: 1000 }, (_, tick) => ({
    tick,
    kind: "anticheat",
    entity: tick % 7,
    label: `flag ${tick}`,
    severity: tick % 100,
  }));
  writeFileSync(at("marks.ndjson"), marks.map((mark) => `${JSON.stringify(mark)}\n`).join(""));
  expect((await simtape(["compact", source, at("run.hcrp")])).exit).toBe(0);
  for (const file of [source, at("run.hcrp")]) {
    const ran = await simtape(["meta", "set", file, "--marks", at("marks.ndjson"), "--json"]);
    expect([ran.exit, ran.stderr, JSON.parse(ran.stdout)]).toMatchObject([0, "", { marks: 1000 }]);
    expect(await got(file, "hcrp.marks")).toEqual(marks);
    expect((await simtape(["verify", file])).exit).toBe(0);
  }
  const more = Buffer.from('{"tick":5,"kind":"report"}\n\n{"tick":6,"kind":"report","label":"x"}');
  expect((await simtape(["meta", "set", at("run.hcrp"), "--marks", "-"], more)).stdout).toContain("1,002 marks");
});

test("values are set by path, as JSON or as text, and removed", async () => {
  const file = await live("values-");
  const words = ["server.mode=hard core", "server.slots=20", 'server.tags=["a","b"]', "hcrp.outcome=reset"];
  expect((await simtape(["meta", "set", file, ...words])).exit).toBe(0);
  expect(await got(file)).toMatchObject({
    server: { mode: "hard core", slots: 20, tags: ["a", "b"] },
    hcrp: { outcome: "reset" },
  });
  expect((await simtape(["meta", "set", file, "--unset", "server.mode"])).exit).toBe(0);
  expect(await got(file, "server")).toEqual({ slots: 20, tags: ["a", "b"] });
});

test.each([
  [["x"], "expected PATH=VALUE"],
  [["hcrp.epochs=1"], "hcrp.epochs: expected one of"],
  [["simtape.next=a"], "not the host's"],
  [["a=1", "a.b=2"], "given twice"],
  [["--marks", "-"], "marks, line 1: expected tick"],
  [["--marks", "/none"], "cannot be read"],
])("what cannot be set is refused: %j", async (words, message) => {
  const file = await live("refused-");
  const { exit, stderr } = await simtape(["meta", "set", file, ...words], Buffer.from('{"kind":"report"}\n'));
  expect([exit, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect((await simtape(["meta", "get", file, "nothing.here"])).exit).toBe(2);
});

test("row 30: compact --names brings old names up to date, and tells those that are gone", async () => {
  const source = await live("epochs-", twoEpochs());
  const names = at("names.json");
  writeFileSync(names, JSON.stringify([{ below: 1_000_000, block: { "minecraft:grass": "minecraft:short_grass" } }]));
  const kindAt = async (file: string, time: string): Promise<unknown> => {
    const { stdout } = await simtape(["state", file, "--at", time, "--json"]);
    return (JSON.parse(stdout) as { sets: { blocks: { columns: { kind: { data: string[] } } } } }).sets.blocks.columns
      .kind.data;
  };
  expect(await kindAt(source, "t10")).toEqual(["minecraft:grass"]);
  expect(await simtape(["compact", source, at("new.hcrp"), "--names", names])).toMatchObject({ exit: 0, stderr: "" });
  for (const time of ["t10", "t30"]) expect(await kindAt(at("new.hcrp"), time)).toEqual(["minecraft:short_grass"]);
  writeFileSync(names, JSON.stringify([{ below: 1_000_000, block: { "minecraft:grass": null } }]));
  const lossy = await simtape(["compact", source, at("gone.hcrp"), "--names", names]);
  expect([lossy.exit, lossy.stderr]).toEqual([3, expect.stringContaining("no longer exists")]);
  expect(await kindAt(at("gone.hcrp"), "t10")).toEqual(["unresolved:minecraft:grass"]);
  for (const text of ["{}", "[{}]", '[{"below":1,"blocks":{}}]', '[{"below":1,"block":{"a":1}}]', "nonsense"]) {
    writeFileSync(names, text);
    expect((await simtape(["compact", source, at("bad.hcrp"), "--names", names])).exit).toBe(2);
  }
});
