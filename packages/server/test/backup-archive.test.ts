import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ArchiveWriter, readArchive } from "../dist/backup/archive.js";
import { contentOf } from "../dist/backup/restore.js";

const folder = mkdtempSync(join(tmpdir(), "simtape-archive-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const LONG = `data/${"long/".repeat(30)}é.bin`;

async function archive(): Promise<Buffer> {
  const out = new PassThrough({ highWaterMark: 1 << 24 });
  const writer = new ArchiveWriter(out);
  const tables = [{ name: "users", columns: ["id", "name"] }];
  await writer.begin({ simtape: "backup", version: 1, migration: "001", made: "2026-01-01T00:00:00.000Z", tables });
  await writer.addRows("users", 0, ['{"id":"a","name":"anna"}', '{"id":"b","name":"bo"}']);
  await writer.addFile("recordings/race.hcrp", 700, pieces(Buffer.alloc(700, "race")));
  await writer.addFile(LONG, 3, pieces(Buffer.from("abc")));
  await writer.finish();
  out.end();
  return Buffer.concat(await out.toArray());
}

// oxlint-disable-next-line require-await
async function* pieces(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}

/** Everything that a backup gives, as text; the words of its error where it is refused. */
async function given(name: string, content: Uint8Array): Promise<{ readonly text: string } | { readonly why: string }> {
  const path = join(folder, name);
  writeFileSync(path, content);
  const parts: unknown[] = [];
  try {
    await readArchive(contentOf(path), {
      begin: async (beginning) => void parts.push(beginning),
      rows: async (table, lines) => void parts.push([table, lines]),
      file: async (key, bytes) => {
        const all: Uint8Array[] = [];
        for await (const piece of bytes) all.push(piece);
        parts.push([key, Buffer.concat(all).toString("hex")]);
      },
    });
    return { text: JSON.stringify(parts) };
  } catch (error) {
    expect((error as Error).name, String(error)).toBe("BackupError");
    return { why: (error as Error).message };
  }
}

test.each([0, 1500, 5000, 9000])("a backup whose disk is full after %i bytes ends, and says so", async (most) => {
  let bytes = 0;
  const out = new Writable({
    highWaterMark: 1000,
    write(piece: Uint8Array, _encoding, done): void {
      bytes += piece.length;
      setImmediate(() => done(bytes > most ? new Error("no space left") : null));
    },
  });
  // the owner of the stream listens to it
  out.on("error", () => undefined);
  const writer = new ArchiveWriter(out);
  const written = async (): Promise<void> => {
    await writer.begin({ simtape: "backup", version: 1, migration: "001", made: "", tables: [] });
    for (let n = 0; n < 20; n++) {
      await writer.addRows("users", n, ['{"id":"a"}']);
      await new Promise((resolve) => setTimeout(resolve, n % 3));
    }
    await writer.addFile("recordings/race.hcrp", 5000, pieces(Buffer.alloc(5000)));
    await writer.finish();
  };
  await expect(written()).rejects.toThrow("no space left");
});

describe.each([
  ["a.tar", (tar: Buffer): Buffer => tar],
  ["a.tar.gz", (tar: Buffer): Buffer => gzipSync(tar)],
] as const)("a backup in %s", (name, pack) => {
  let whole: Buffer;
  let text: string;
  beforeAll(async () => {
    whole = pack(await archive());
    const read = await given(name, whole);
    if ("why" in read) throw new Error(read.why);
    ({ text } = read);
  });

  test("gives what was written", () => {
    expect(text).toContain('["users",["{\\"id\\":\\"a\\",\\"name\\":\\"anna\\"}"');
    expect(text).toContain(JSON.stringify([LONG, "616263"]));
  });

  test("that is cut anywhere is refused in plain words, or whole", async () => {
    const step = Math.max(1, Math.floor(whole.length / 150));
    let refused = 0;
    for (let length = 0; length < whole.length; length += step) {
      const read = await given(name, whole.subarray(0, length));
      if ("why" in read) refused++;
      else expect(read.text).toBe(text);
      if ("why" in read) expect(read.why).toMatch(/backup/);
    }
    expect(refused).toBeGreaterThan(100);
  });

  test("with one bit that is another is refused in plain words, or gives the same", async () => {
    const step = Math.max(1, Math.floor(whole.length / 400));
    let refused = 0;
    for (let at = 0; at < whole.length; at += step) {
      const damaged = Buffer.from(whole);
      damaged[at]! ^= 1 << (at % 8);
      const read = await given(name, damaged);
      if ("why" in read) refused++;
      else expect(read.text, `bit ${at % 8} of byte ${at}`).toBe(text);
    }
    expect(refused).toBeGreaterThan(name === "a.tar" ? 50 : 300);
  });

  test("that is no backup says so", async () => {
    for (const other of ["", "no tar at all", "{}", "x".repeat(5000)]) {
      expect(await given(name, Buffer.from(other))).toMatchObject({ why: expect.stringMatching(/backup/) });
      expect(await given(name, pack(Buffer.from(other)))).toMatchObject({ why: expect.stringMatching(/backup/) });
    }
  });
});
