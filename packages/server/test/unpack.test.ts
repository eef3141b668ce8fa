import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { unpack } from "../dist/database/unpack.js";
import { tarEnd, tarHeader, tarPadding } from "../dist/tar.js";

const folder = mkdtempSync(join(tmpdir(), "simtape-unpack-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const CONTENT = Buffer.from(
  Array.from({ length: 400 }, (_, i) => createHash("sha256").update(`${i}`).digest("hex")).join(""),
);
const TAR = Buffer.concat([tarHeader("a.bin", CONTENT.length), CONTENT, tarPadding(CONTENT.length), tarEnd()]);
const ARCHIVE = gzipSync(TAR);

test("the files of an archive are in the folder", async () => {
  const [archive, to] = [join(folder, "whole.tar.gz"), join(folder, "whole")];
  writeFileSync(archive, ARCHIVE);
  await unpack(archive, to);
  expect(readdirSync(to)).toEqual(["a.bin"]);
  expect(readFileSync(join(to, "a.bin")).equals(CONTENT)).toBe(true);
});

describe("an archive ends in one error of its own kind, and in no folder,", () => {
  const made: readonly (readonly [string, ((path: string) => void) | null])[] = [
    ["that is missing", null],
    ["that is a folder", (path) => mkdirSync(path)],
    ["that is cut", (path) => writeFileSync(path, ARCHIVE.subarray(0, 9000))],
    ["that is no gzip", (path) => writeFileSync(path, TAR)],
    ["with no tar inside", (path) => writeFileSync(path, gzipSync(CONTENT))],
    ["whose tar ends early", (path) => writeFileSync(path, gzipSync(TAR.subarray(0, 900)))],
  ];
  test.each(made)("%s", async (what, make) => {
    const [archive, to] = [join(folder, `${what}.tar.gz`), join(folder, what)];
    make?.(archive);
    const error = await unpack(archive, to).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "UnpackError", message: expect.stringContaining(archive) });
    expect(existsSync(to)).toBe(false);
  });
});
