import { Zip as ZipStream, ZipDeflate, ZipPassThrough, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { memory } from "../../src/io/source/memory.ts";
import { openZip, zipContent } from "../../src/io/zip/zip.ts";

/** Content that deflates a little, so that a flip in it is not seen by its length. */
const FILES: Readonly<Record<string, Uint8Array>> = {
  "a.json": Buffer.from('{"protocol":754,"mcversion":"1.16.5"}'),
  "long.bin": Uint8Array.from({ length: 150 }, (_, i) => (i * i * 31 + (i >> 3)) & (i % 3 === 0 ? 255 : 15)),
  "b.json": Buffer.from("[]"),
};

/** As a program writes it that does not know a member's size before its data. */
function streamed(Member: typeof ZipDeflate | typeof ZipPassThrough): Uint8Array {
  const pieces: Uint8Array[] = [];
  const zip = new ZipStream((_, bytes) => pieces.push(bytes));
  for (const [name, bytes] of Object.entries(FILES)) {
    const member = new Member(name);
    zip.add(member);
    member.push(bytes, true);
  }
  zip.end();
  return Buffer.concat(pieces);
}

const WRITERS: Readonly<Record<string, Uint8Array>> = {
  "sizes before the data": zipSync(FILES),
  "sizes before the data, stored": zipSync(FILES, { level: 0 }),
  "sizes behind the data": streamed(ZipDeflate),
  "sizes behind the data, stored": streamed(ZipPassThrough),
};

interface Found {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly findings: readonly string[];
}

async function read(bytes: Uint8Array): Promise<Found | null> {
  const source = memory(bytes);
  const zip = await openZip(source);
  if (zip === null) return null;
  const findings = zip.damage.map(({ message }) => message);
  const files = new Map<string, Buffer>();
  for (const member of zip.members) {
    const pieces: Uint8Array[] = [];
    for await (const piece of zipContent(source, member, ({ message }) => findings.push(message))) pieces.push(piece);
    files.set(member.name, Buffer.concat(pieces));
  }
  return { files, findings };
}

function isWhole({ files }: Found): boolean {
  const names = Object.keys(FILES);
  return files.size === names.length && names.every((name) => files.get(name)?.equals(FILES[name]!) === true);
}

describe.each(Object.keys(WRITERS))("a zip with %s", (writer) => {
  const bytes = WRITERS[writer]!;

  test("gives what was put in, and no finding", async () => {
    const found = (await read(bytes))!;
    expect(found.findings).toEqual([]);
    expect(isWhole(found)).toBe(true);
  });

  test("has a finding for every flipped bit by which something is another", async () => {
    let [harmless, rest] = [0, 0];
    // Two bits of each byte.
    for (let i = 0; i < bytes.length * 2; i++) {
      const bit = 8 * (i >> 1) + ((i * 3) & 7);
      const flipped = Uint8Array.from(bytes);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      const found = await read(flipped);
      if (found !== null && found.findings.length === 0) {
        harmless++;
        expect(isWhole(found), `bit ${bit}`).toBe(true);
      } else if (found !== null) {
        // One flip takes no more than the member that it is in.
        const lost = Object.keys(FILES).filter((name) => found.files.get(name)?.equals(FILES[name]!) !== true);
        if (lost.length > 1) rest++;
      }
    }
    // Dates, versions, attributes and comments, which say nothing of the content.
    expect(harmless / 2).toBeLessThan(3 * (10 + 26) + 12);
    expect(rest).toBe(0);
  });

  test("gives everything before a cut, and a finding for each", async () => {
    let before = 0;
    for (let length = 1; length < bytes.length; length++) {
      const found = await read(bytes.subarray(0, length));
      if (found === null) {
        expect(before).toBe(0);
        continue;
      }
      expect(found.findings.length, `cut at ${length}`).toBeGreaterThan(0);
      let kept = 0;
      for (const [name, content] of found.files) {
        const whole = FILES[name];
        const same =
          whole === undefined ? 0 : content.length - (content.equals(whole.subarray(0, content.length)) ? 0 : 1);
        kept += Math.min(same, whole?.length ?? 0);
      }
      // A stored member of unknown length ends with what stands behind it, until that is whole.
      expect(kept).toBeGreaterThanOrEqual(before - 24);
      before = Math.max(before, kept);
    }
    expect(before).toBe(Object.values(FILES).reduce((sum, { length }) => sum + length, 0));
  });
});

test("what is no zip is none", async () => {
  expect(await read(Buffer.from("hello, world"))).toBeNull();
  expect(await read(new Uint8Array(70_000))).toBeNull();
});

test("a member without end takes no memory for its length", async () => {
  const bytes = Uint8Array.from(zipSync({ "a.bin": new Uint8Array(100) }, { level: 0 }));
  const view = new DataView(bytes.buffer);
  view.setUint32(18, 0xffff_0000, true);
  const found = (await read(bytes.subarray(0, 60)))!;
  expect(found.files.get("a.bin")!.length).toBeLessThan(100);
  expect(found.findings.length).toBeGreaterThan(1);
});
