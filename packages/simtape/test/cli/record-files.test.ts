import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { journalFile } from "../../src/cli/serving.ts";
import { LockedError } from "../../src/io/node/file-lock.ts";
import { writerLock } from "../../src/io/node/lock.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "simtape-files-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe("the lock of a recorder", () => {
  test("is held by one of many, until it is released", async () => {
    const path = join(folder, "run", "writer.lock");
    const tried = await Promise.allSettled(Array.from({ length: 8 }, () => writerLock(path, "run")));
    const held = tried.filter((one) => one.status === "fulfilled").map(({ value }) => value);
    expect(held).toHaveLength(1);
    for (const one of tried) if (one.status === "rejected") expect(one.reason).toBeInstanceOf(LockedError);
    expect(readFileSync(path, "utf8")).toMatch(new RegExp(`^${process.pid} run `));
    await held[0]!.release();
    await held[0]!.release();
    expect(readdirSync(join(folder, "run"))).toEqual([]);
    await (await writerLock(path, "run")).release();
  });

  test("of a process that has ended, or of an unknown one for long, is taken over", async () => {
    const path = join(folder, "writer.lock");
    writeFileSync(path, "4711 run");
    await expect(writerLock(path, "run")).rejects.toThrow(/^process 4711 is recording it: /);
    const longAgo = new Date(Date.now() - 3_600_000);
    utimesSync(path, longAgo, longAgo);
    const lock = await writerLock(path, "run");
    const [, , mark = ""] = readFileSync(path, "utf8").trim().split(" ");
    await lock.release();
    // the same machine, and a process that began at another time
    const [machine, , , rest] = mark.split(".");
    writeFileSync(path, `${process.pid} run ${machine}.${process.pid}.1.${rest}\n`);
    await (await writerLock(path, "run")).release();
  });
});

describe("the lock of another machine", () => {
  test("says which it is and how long it holds, and is taken on request; that of an earlier start at once", async () => {
    const path = join(folder, "writer.lock");
    const lock = await writerLock(path, "run");
    const [, , mark = "", , start = ""] = readFileSync(path, "utf8").trim().split(" ");
    await lock.release();
    const [, , , rest] = mark.split(".");
    const other = `0123456789ab.3452.77.${rest}`;
    const reported =
      /^process 3452 of the machine build-7 holds its lock: .*; if it has ended, the lock is free in (\d+) s, or now with --take-over$/;
    writeFileSync(path, `3452 run ${other} build-7 abcdefabcdef.0123456789ab\n`);
    const refused = await writerLock(path, "run").catch((error: unknown) => error as Error);
    const [, seconds] = reported.exec((refused as Error).message) ?? [];
    expect(Number(seconds)).toBeGreaterThan(200);
    expect(Number(seconds)).toBeLessThanOrEqual(300);
    const ahead = new Date(Date.now() + 5000);
    utimesSync(path, ahead, ahead);
    await expect(writerLock(path, "run")).rejects.toThrow("the lock is free in 300 s");
    await (await writerLock(path, "run", { takesOver: true })).release();
    // a process of this machine that lives is asked nothing
    const held = await writerLock(path, "run");
    await expect(writerLock(path, "run", { takesOver: true })).rejects.toThrow(
      `process ${process.pid} is recording it`,
    );
    await held.release();
    if (start === "") return;
    writeFileSync(path, `3452 run ${other} here ${start.replace(/\..*/, ".0123456789ab")}\n`);
    await (await writerLock(path, "run")).release();
  });
});

describe("the journal on disk", () => {
  const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

  test("is replaced, grows, and is gone in the end", async () => {
    const path = join(folder, "journal.hcj");
    const journal = journalFile(path);
    expect(await journal.read()).toBe(null);
    await journal.replace(bytes(1, 2));
    await journal.append(bytes(3));
    await journal.append(bytes(4, 5));
    expect(await journal.read()).toEqual(bytes(1, 2, 3, 4, 5));
    await journal.replace(bytes(9));
    await journal.append(bytes(8));
    expect(await journalFile(path).read()).toEqual(bytes(9, 8));
    expect(readdirSync(folder)).toEqual(["journal.hcj"]);
    await journal.remove();
    await journal.remove();
    expect(readdirSync(folder)).toEqual([]);
  });

  test("of a process before is gone on with", async () => {
    const path = join(folder, "journal.hcj");
    writeFileSync(path, bytes(1));
    const journal = journalFile(path);
    await journal.append(bytes(2));
    expect(await journal.read()).toEqual(bytes(1, 2));
    await journal.remove();
  });
});
