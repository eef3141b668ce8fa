import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { makeTown, RELEASES } from "../fixtures/carla/make.ts";
import { simtape, temporaryFile } from "./run.ts";

const bytes = makeTown(RELEASES.find(({ name }) => name === "0.9.15")!);
const town = temporaryFile("town.log", bytes);
const race = temporaryFile(
  "race.hcrp",
  new Uint8Array(readFileSync(new URL("../../../../examples/race.hcrp", import.meta.url))),
);

interface PlainField {
  readonly offset: number;
  readonly length: number;
  readonly name: string;
  readonly role: string;
  readonly value: unknown;
  readonly note?: string;
}

describe("records", () => {
  test("lists every record, and as many of a kind as asked for", async () => {
    const { stdout } = await simtape(["records", town, "--json"]);
    const records = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { offset: number; length: number });
    expect(records.reduce((sum, { length }) => sum + length, 0)).toBe(bytes.length);
    const some = await simtape(["records", town, "--kind", "position", "--kind", "state", "--limit", "3"]);
    expect(some.stdout.trim().split("\n")).toHaveLength(3);
  });

  test("names their fields, for people and as JSON of the agreed shape", async () => {
    const words = ["records", town, "--kind", "position", "--limit", "1", "--fields"];
    const { exit, stdout } = await simtape(words);
    expect(exit).toBe(0);
    expect(stdout).toMatch(/\[0\]\.location\.x +5000 {2}\(cm\)/);
    const record = JSON.parse((await simtape([...words, "--json", "--hex"])).stdout) as {
      readonly offset: number;
      readonly bytes: string;
      readonly fields: readonly PlainField[];
    };
    expect(Object.keys(record)).toEqual(["offset", "kind", "length", "bytes", "fields", "contents"]);
    expect(record.fields[0]).toEqual({
      ...{ offset: record.offset, length: 1, name: "packet", role: "frame" },
      ...{ value: 6, note: "position" },
    });
    const x = record.fields.find(({ name }) => name === "[0].location.x")!;
    expect(x).toMatchObject({ length: 4, role: "value", value: 5000, note: "cm" });
    const at = 2 * (x.offset - record.offset);
    expect(record.bytes.slice(at, at + 8)).toBe("00409c45");
  });

  test("names what is in a compressed one", async () => {
    const words = ["records", race, "--kind", "chunk", "--limit", "1", "--fields"];
    const { stdout } = await simtape([...words, "--json"]);
    const { contents } = JSON.parse(stdout) as { contents: { length: number; fields: readonly PlainField[] } };
    expect(contents.fields.reduce((sum, { length }) => sum + length, 0)).toBe(contents.length);
    expect(contents.fields.some(({ name }) => name.endsWith(".set-block.delta.x"))).toBe(true);
    const people = await simtape(words);
    expect(people.stdout).toContain("inflated: chunk 0 (ticks 0 to 199), zstd, 11,494 bytes");
  });

  test("has nothing to name in a recording that is edited and not yet written", async () => {
    const list = { version: 1, source: town, operations: [{ op: "trim", from: 1_000_000_000 }] };
    const edits = temporaryFile("edits.json", new TextEncoder().encode(JSON.stringify(list)));
    const { exit, stderr } = await simtape(["records", edits, "--fields"]);
    expect([exit, stderr]).toEqual([1, "simtape: an edited recording has no bytes of its own\n"]);
  });

  test("dumps bytes with their text", async () => {
    const { stdout } = await simtape(["records", town, "--kind", "header", "--hex"]);
    expect(stdout.split("\n")[1]).toBe(
      "  0000000000  01 00 0e 00 43 41 52 4c  41 5f 52 45 43 4f 52 44  ....CARLA_RECORD",
    );
  });
});
