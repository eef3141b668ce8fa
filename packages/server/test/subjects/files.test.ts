import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { folderLibrary } from "../../src/library/folder.ts";
import { isInFile } from "../../src/subjects/files.ts";
import { Traces } from "../../src/subjects/traces.ts";

const folder = mkdtempSync(join(tmpdir(), "simtape-subjects-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const UUID = "12345678-9abc-4def-8123-456789abcdef";
const UUID_BYTES = Buffer.from(UUID.replaceAll("-", ""), "hex");
const traces = new Traces({ names: ["Amaya"], uuids: [UUID] }, ["Amaya Lund"], "1");

test.each([
  ["text with the name", Buffer.from("pilot: Amaya\n"), true],
  ["text with the UUID", Buffer.from(`pilot: ${UUID}\n`), true],
  ["text with another name", Buffer.from("pilot: Amaya Lund\n"), false],
  ["other bytes with the UUID", Buffer.concat([Buffer.alloc(40), UUID_BYTES, Buffer.alloc(40)]), true],
  ["other bytes with the name, which occurs there by chance", Buffer.from("\0Amaya\0"), false],
  ["a name behind a long text", Buffer.concat([Buffer.alloc(3 << 20, "a "), Buffer.from("Amaya")]), true],
  ["no bytes", Buffer.alloc(0), false],
])("a file is searched for a subject: %s", async (name, bytes, isFound) => {
  writeFileSync(join(folder, "file"), bytes);
  const library = await folderLibrary(folder);
  expect(await isInFile(library, "file", traces, new AbortController().signal), name).toBe(isFound);
});
