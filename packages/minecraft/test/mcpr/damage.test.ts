import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { unzipSync, zipSync } from "fflate";
import { open } from "simtape";
import { fromFile } from "simtape/node";
import { expect, test } from "vitest";
import { exportMcpr } from "../../src/mcpr/export.ts";
import { importMcpr } from "../../src/mcpr/import.ts";
import { command } from "../support/command.ts";
import { Folder } from "../support/demo.ts";

test.each([
  ["an empty file", () => new Uint8Array(0), "an empty file"],
  ["a text", () => Buffer.from("hello, world"), "no zip archive"],
  ["another archive", () => zipSync({ "a.txt": Buffer.from("a") }), "no recording.tmcpr"],
  ["no metadata", () => zipSync({ "recording.tmcpr": Buffer.alloc(9) }), "no metaData.json"],
  ["metadata that are no JSON", () => archive({ "metaData.json": Buffer.from("{") }), "is no JSON"],
  ["an unknown version", () => archive({ "metaData.json": Buffer.from('{"protocol":1234567}') }), "names no version"],
  [
    "a packet of two gigabytes",
    () => archive({ "recording.tmcpr": Buffer.from("000000007fffffff00", "hex") }),
    "no packet",
  ],
])("%s is one clear line", (_, make, says) => {
  using folder = new Folder();
  writeFileSync(folder.at("x.mcpr"), make());
  const { status, stdout, stderr } = command("import", folder.at("x.mcpr"), folder.at("x.hcrp"), "--json");
  expect(status).toBe(1);
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect(JSON.parse(stdout).error.message).toContain(says);
  expect(readdirSync(folder.path)).toEqual(["x.mcpr"]);
});

test("cut recordings keep what is whole, and say where they end", async () => {
  using folder = new Folder().withRace();
  await exportMcpr(folder.at("race.hcrp"), folder.at("a.mcpr"), "1.16.5");
  const files = unzipSync(readFileSync(folder.at("a.mcpr")));
  const whole = files["recording.tmcpr"]!;
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 100, max: whole.length - 1 }), async (length) => {
      writeFileSync(folder.at("cut.mcpr"), zipSync({ ...files, "recording.tmcpr": whole.subarray(0, length) }));
      const report = await importMcpr(folder.at("cut.mcpr"), folder.at("cut.hcrp"));
      if (report.damage !== null) expect(report.damage).toContain("ends within a packet");
      await using recording = await open(fromFile(folder.at("cut.hcrp")));
      expect(recording.info.format).toBe("hcrp");
    }),
    { numRuns: 8 },
  );
});

test("changed bytes never do more than fail or lose what they were", async () => {
  using folder = new Folder().withRace();
  await exportMcpr(folder.at("race.hcrp"), folder.at("a.mcpr"), "1.21.4");
  const files = unzipSync(readFileSync(folder.at("a.mcpr")));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(files["recording.tmcpr"]!.length - 1), fc.nat(255)), { minLength: 1, maxLength: 20 }),
      fc.boolean(),
      async (changes, isOutside) => {
        const recorded = Uint8Array.from(files["recording.tmcpr"]!);
        const bytes = isOutside ? Uint8Array.from(readFileSync(folder.at("a.mcpr"))) : recorded;
        for (const [at, value] of changes) bytes[at % bytes.length] = value;
        const changed = isOutside ? bytes : zipSync({ ...files, "recording.tmcpr": recorded });
        writeFileSync(folder.at("x.mcpr"), changed);
        const failure = await importMcpr(folder.at("x.mcpr"), folder.at("x.hcrp")).catch((error: Error) => error);
        if (failure instanceof Error) expect(failure.name).toBe("RecordingError");
      },
    ),
    { numRuns: 15 },
  );
});

function archive(files: Record<string, Uint8Array>): Uint8Array {
  const usual = { "metaData.json": Buffer.from('{"protocol":754}'), "recording.tmcpr": Buffer.alloc(0) };
  return zipSync({ ...usual, ...files });
}
