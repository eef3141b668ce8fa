import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { gzipSync } from "fflate";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { inflated } from "../../src/io/zip/inflated.ts";
import { fileSource, fileSpool, fromFile, stdin } from "../../src/io/node/index.ts";
import { sampleBytes } from "../conformance/describe-source.ts";

const bytes = sampleBytes(50_000);
let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "simtape-node-"));
  path = join(folder, "run.traj");
  writeFileSync(path, bytes);
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("a file source", () => {
  test("sees bytes that were appended while it is open", async () => {
    const source = fileSource(path);
    expect(await source.read(49_990, 100)).toHaveLength(10);
    appendFileSync(path, "more");
    expect(await source.size()).toBe(50_004);
    expect(await source.read(50_000, 100)).toEqual(new TextEncoder().encode("more"));
    appendFileSync(path, "!");
    expect(await source.read(50_004, 100)).toHaveLength(1);
    await source.close();
  });

  test("a file that became shorter has changed, wherever one reads", async () => {
    const source = fileSource(path);
    await source.read(0, 10);
    truncateSync(path, 20_000);
    await expect(source.read(30_000, 10)).rejects.toMatchObject({ name: "SourceError", reason: "changed" });
    await expect(source.read(0, 10)).rejects.toMatchObject({ reason: "changed" });
    await expect(source.size()).rejects.toThrow(/it had 50000 bytes and has 20000 now: .*run\.traj$/);
    await source.close();
  });

  test("a file that another has replaced has changed", async () => {
    const source = fileSource(path);
    await source.read(0, 10);
    writeFileSync(`${path}.new`, bytes);
    renameSync(`${path}.new`, path);
    await expect(source.read(0, 10)).rejects.toMatchObject({ reason: "changed" });
    await expect(source.size()).rejects.toMatchObject({ reason: "changed" });
    await source.close();
  });

  test("a file that was only removed can still be read", async () => {
    const source = fileSource(path);
    await source.read(0, 10);
    unlinkSync(path);
    expect(await source.read(100, 10)).toEqual(bytes.slice(100, 110));
    await source.close();
  });

  test("a file that is not there is named, and found once it is there", async () => {
    const late = join(folder, "late.traj");
    const source = fileSource(late);
    await expect(source.read(0, 10)).rejects.toThrow(`no such file: ${late}`);
    writeFileSync(late, "now");
    expect(await source.read(0, 10)).toHaveLength(3);
    await source.close();
  });

  test("a folder is refused", async () => {
    await expect(fileSource(folder).read(0, 10)).rejects.toThrow(/a folder, not a file/);
  });
});

describe("a recording in a file", () => {
  test("has the files beside it as siblings", async () => {
    writeFileSync(join(folder, "run.state"), "state");
    const bundle = fromFile(path);
    expect(bundle.name).toBe("run.traj");
    const main = await bundle.open();
    const state = await bundle.open("run.state");
    expect(await main?.size()).toBe(50_000);
    expect(await state?.size()).toBe(5);
    expect(await bundle.open("run.other")).toBeNull();
    await main?.close();
    await state?.close();
  });

  test("that is not there, or a folder, is refused on opening", async () => {
    await expect(fromFile(join(folder, "none")).open()).rejects.toThrow(/no such file/);
    await expect(fromFile(folder).open()).rejects.toThrow(/a folder, not a file/);
  });

  test("does not leave its folder for a name out of a file", async () => {
    await expect(fromFile(path).open("../run.traj")).rejects.toMatchObject({ name: "SourceError" });
  });
});

describe("a spool in a file", () => {
  test("gives back what was written and leaves nothing behind", async () => {
    const place = mkdtempSync(join(folder, "spool-"));
    const spool = await fileSpool(place).create();
    await spool.write(bytes.subarray(0, 20_000));
    await spool.write(bytes.subarray(20_000));
    expect(Buffer.compare(await spool.read(19_000, 2000), bytes.subarray(19_000, 21_000))).toBe(0);
    await spool.close();
    expect(readdirSync(place)).toEqual([]);
  });

  test("a folder that is not there is reported", async () => {
    await expect(fileSpool(join(folder, "none")).create()).rejects.toThrow(/cannot create a temporary file in .*none$/);
  });

  test("content above the memory limit is inflated into it, and its file goes on close", async () => {
    const block = new Uint8Array(1024 * 1024);
    const member = gzipSync(block);
    const count = 96;
    writeFileSync(path, Buffer.concat(Array.from({ length: count }, () => member)));
    const source = inflated(fileSource(path), { spool: fileSpool(folder) });
    expect(await source.size()).toBe(count * block.length);
    expect(await source.read(count * block.length - 3, 10)).toHaveLength(3);
    await source.close();
    expect(source.damage).toBeNull();
    expect(readdirSync(folder)).toEqual(["run.traj"]);
  });
});

describe("standard input", () => {
  test("reads wait for their bytes only, size for the end", async () => {
    const input = new PassThrough();
    const source = stdin({ input });
    input.write(bytes.subarray(0, 1000));
    expect(await source.read(0, 500)).toEqual(bytes.slice(0, 500));
    const size = source.size();
    input.write(bytes.subarray(1000, 3000));
    input.end();
    expect(await size).toBe(3000);
    expect(await source.read(900, 200)).toEqual(bytes.slice(900, 1100));
    await source.close();
  });

  test("an input that breaks off is an error each time, not an end", async () => {
    const input = new Readable({ read: () => undefined });
    const source = stdin({ input });
    input.push("abc");
    expect(await source.read(0, 3)).toHaveLength(3);
    const reading = source.read(3, 10);
    input.destroy(new Error("pipe burst"));
    await expect(reading).rejects.toThrow("standard input broke off");
    await expect(source.size()).rejects.toThrow("standard input broke off");
    expect(await source.read(0, 3)).toHaveLength(3);
    await source.close();
  });

  test("an abort while nothing comes leaves the bytes to the next read", async () => {
    const input = new PassThrough();
    const source = stdin({ input });
    const controller = new AbortController();
    const reading = source.read(0, 3, controller.signal);
    controller.abort(new Error("enough"));
    await expect(reading).rejects.toThrow("enough");
    input.end("abc");
    expect(await source.read(0, 10)).toEqual(new TextEncoder().encode("abc"));
    await source.close();
  });

  test("close ends a read that would wait for ever", async () => {
    const input = new PassThrough();
    const source = stdin({ input });
    const reading = source.read(0, 3).catch((error: unknown) => error);
    await source.close();
    expect(await reading).toMatchObject({ reason: "closed" });
    expect(input.destroyed).toBe(true);
  });
});
