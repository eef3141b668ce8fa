import { Zip, ZipDeflate, ZipPassThrough, type Zippable, unzipSync, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { type DirectoryEntry, withoutZip64 } from "../../../src/bytes/zip.ts";
import { nanover } from "../../../src/formats/nanover/format.ts";
import {
  applyEdits,
  type ByteSource,
  check,
  type Finding,
  FORMATS,
  MemoryFiles,
  open,
  type Operation,
  repair,
  type RepairReport,
  rewrite,
  type RewriteReport,
  type SourceBundle,
  writeEdited,
} from "../../../src/index.ts";
import { readDirectory } from "../../../src/io/zip/zip-directory.ts";
import { Findings } from "../../../src/model/error.ts";
import type { Removed } from "../../../src/ops/edit/redact.ts";
import { bundleOfFiles } from "../../conformance/mutate.ts";
import { zipOf } from "../../fixtures/nanover/containers.ts";
import { makeMoments } from "../../fixtures/nanover/make.ts";
import { filesOf, openFiles, rowsOfFiles } from "./helpers.ts";

const NAME = "a.nanover.zip";
const moments = makeMoments({ seconds: 2, rate: 8, isTimed: false, switchAt: 0.6 });
const plain = zipOf(moments);
const recorded = unzipSync(plain);
const MESSAGES = recorded["messages.msgpack"]!;
const INDEX = recorded["index.msgpack"]!;
const OWN = JSON.stringify({ simtape: "provenance", version: 1, annotations: [{ at: 5, text: "hi", kind: "note" }] });
const NOTES = new TextEncoder().encode("pulled by hand; see messages.msgpack and index.msgpack. ".repeat(40));
const PICTURE = Uint8Array.from({ length: 3000 }, (_, i) => (i * i * 31) >> 3);
const ABOUT = { mtime: "2026-03-04T05:06:08", comment: "of the evening", os: 3, attrs: 0o100640 << 16 } as const;
const RECORDING: Zippable = { "messages.msgpack": [MESSAGES, { level: 0 }], "index.msgpack": [INDEX, { level: 0 }] };
const OTHERS: Zippable = {
  "notes/read me.txt": [NOTES, { level: 9, extra: { 30583: Uint8Array.of(1, 2, 3) }, ...ABOUT }],
  "größe.png": [PICTURE, { level: 0, ...ABOUT }],
  "empty/": [new Uint8Array(0), { level: 0 }],
};
const own: Zippable = { "simtape.json": [new TextEncoder().encode(OWN), { level: 0 }] };

/** Members of unknown size while they are written: behind the data of each is a descriptor. */
function described(members: Readonly<Record<string, readonly [Uint8Array, number]>>): Uint8Array {
  const pieces: Uint8Array[] = [];
  const zip = new Zip((error, piece) => {
    if (error !== null) throw error;
    pieces.push(piece);
  });
  for (const [name, [content, level]] of Object.entries(members)) {
    const member = level === 0 ? new ZipPassThrough(name) : new ZipDeflate(name, { level: 9 });
    zip.add(member);
    member.push(content, true);
  }
  zip.end();
  return new Uint8Array(Buffer.concat(pieces));
}

function withComment(zip: Uint8Array, text: string): Uint8Array {
  const bytes = Buffer.concat([zip, Buffer.from(text)]);
  bytes.writeUInt16LE(text.length, zip.length - 2);
  return new Uint8Array(bytes);
}

const KINDS: readonly (readonly [string, Uint8Array])[] = [
  ["behind the recording", zipSync({ ...RECORDING, ...OTHERS })],
  ["in front of it", zipSync({ ...OTHERS, ...RECORDING })],
  [
    "around it, with our own member in front",
    zipSync({ ...own, ...OTHERS, ...RECORDING, more: [NOTES, { level: 1 }] }),
  ],
  [
    "with descriptors",
    described({
      "messages.msgpack": [MESSAGES, 9],
      "index.msgpack": [INDEX, 9],
      "a.txt": [NOTES, 9],
      "b.bin": [PICTURE, 0],
    }),
  ],
];
const KNOWN = ["messages.msgpack", "index.msgpack", "simtape.json"];

interface Raw {
  readonly about: Omit<DirectoryEntry, "headerOffset">;
  readonly header: Uint8Array;
  readonly data: Uint8Array;
}

/** The foreign members of a zip as they lie in it, by name, once fflate reads their content. */
async function membersOf(bytes: Uint8Array): Promise<Map<string, Raw>> {
  const source = await bundleOfFiles({ a: bytes }).open();
  const { entries } = await readDirectory(source!, bytes.length);
  const content = unzipSync(bytes);
  const found = new Map<string, Raw>();
  for (const { headerOffset, ...about } of entries) {
    const name = Buffer.from(about.name).toString();
    if (KNOWN.includes(name)) continue;
    expect(content[name]?.length, name).toBe(about.size);
    const view = Buffer.from(bytes.buffer, bytes.byteOffset + headerOffset);
    const dataOffset = 30 + view.readUInt16LE(26) + view.readUInt16LE(28);
    const [header, data] = [view.subarray(0, dataOffset), view.subarray(dataOffset, dataOffset + about.compressedSize)];
    found.set(name, {
      about: { ...about, extra: withoutZip64(about.extra) },
      header: new Uint8Array(header),
      data: new Uint8Array(data),
    });
  }
  return found;
}

/** Header and data of a member, wherever they lie. */
function rawOf(bytes: Uint8Array, name: string): Uint8Array {
  const view = Buffer.from(bytes);
  const at = view.indexOf(name) - 30;
  return bytes.slice(at, at + 30 + name.length + view.readUInt32LE(at + 18));
}

const writing = await nanover.writing!();

async function rewritten(bytes: Uint8Array, name = NAME): Promise<{ report: RewriteReport; files: MemoryFiles }> {
  await using recording = await open(bundleOfFiles({ [NAME]: bytes }));
  const files = new MemoryFiles(name);
  return { report: await rewrite(recording, writing, files), files };
}

async function edited(
  bytes: Uint8Array,
  operation: Operation,
  others: Readonly<Record<string, Uint8Array>> = {},
): Promise<{ report: RewriteReport; bytes: Uint8Array }> {
  const removed: Removed[] = [];
  const source = await openFiles({ [NAME]: bytes });
  const { reader } = await applyEdits(
    source,
    { version: 1, operations: [operation] },
    {
      writing,
      matching: (globs) => (name) => globs.includes(name),
      open: (name) => openFiles({ [name]: others[name]! }),
      removed: (found) => removed.push(found),
    },
  );
  const files = new MemoryFiles(NAME);
  const report = await writeEdited(reader, writing, files, removed.length > 0 ? { without: removed[0]! } : {});
  await reader.close();
  return { report, bytes: files.bytes };
}

async function repaired(bytes: Uint8Array): Promise<{ report: RepairReport; bytes: Uint8Array }> {
  const bundle = bundleOfFiles({ [NAME]: bytes });
  await using recording = await open(bundle);
  const to = new MemoryFiles(NAME);
  const report = await repair(recording, bundle, writing, to, (written) => open(written, { formats: FORMATS }));
  return { report, bytes: to.bytes };
}

/** Calls `read` before each read of the zip. */
function watched(bytes: Uint8Array, read: (offset: number, length: number) => void): SourceBundle {
  const watch = (source: ByteSource): ByteSource => ({
    name: source.name,
    size: () => source.size(),
    read: (offset, length, signal) => {
      read(offset, length);
      return source.read(offset, length, signal);
    },
    close: () => source.close(),
  });
  const inner = bundleOfFiles({ [NAME]: bytes });
  return { name: NAME, open: async (name) => watch((await inner.open(name))!) };
}

async function expectSound(bytes: Uint8Array): Promise<void> {
  await using recording = await open(bundleOfFiles({ [NAME]: bytes }));
  expect((await check(recording)).findings).toEqual([]);
}

describe.each(KINDS)("members of other names %s", (_, bytes) => {
  test("are carried as they are when the zip is written again, behind the recording", async () => {
    const members = await membersOf(bytes);
    const { report, files } = await rewritten(bytes);
    expect(report.lost).toEqual([]);
    expect(await membersOf(files.bytes)).toEqual(members);
    expect(Object.keys(unzipSync(files.bytes)).slice(0, 2)).toEqual(KNOWN.slice(0, 2));
    expect(await rowsOfFiles({ [NAME]: files.bytes })).toEqual(await rowsOfFiles({ [NAME]: plain }));
    await expectSound(files.bytes);
    const again = await rewritten(files.bytes);
    expect(Buffer.compare(again.files.bytes, files.bytes)).toBe(0);
  });
  test("are carried when it is cut in time", async () => {
    const { report, bytes: part } = await edited(bytes, { op: "trim", from: 1e9 });
    expect(report.lost).toEqual([]);
    expect(await membersOf(part)).toEqual(await membersOf(bytes));
    await expectSound(part);
  });
  test("are kept when the end record is damaged", async () => {
    const { report, bytes: whole } = await repaired(bytes.slice(0, -1));
    expect(report.lost).toEqual([]);
    expect(report.messagesKept).toBe(moments.length);
    expect(await membersOf(whole)).toEqual(await membersOf(bytes));
    expect(await rowsOfFiles({ [NAME]: whole })).toEqual(await rowsOfFiles({ [NAME]: plain }));
  });
  test("are kept without their comments when the directory is missing", async () => {
    const { report, bytes: whole } = await repaired(bytes.slice(0, Buffer.from(bytes).readUInt32LE(bytes.length - 6)));
    expect(report.lost).toEqual([]);
    const [before, after] = [await membersOf(bytes), await membersOf(whole)];
    expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
    for (const [name, { header, data, about }] of before) {
      const { crc, size, method, flags, time, date } = about;
      expect(after.get(name)).toMatchObject({ header, data, about: { crc, size, method, flags, time, date } });
    }
  });
  test("are left out and named where texts are taken out", async () => {
    const { report, bytes: without } = await edited(bytes, { op: "redact", channels: ["state"] });
    const names = [...(await membersOf(bytes)).keys()];
    expect(report.lost.map(({ path }) => path).sort()).toEqual(names.map((name) => `members/${name}`).sort());
    expect(report.lost[0]!.reason).toMatch(/not known/);
    expect((await membersOf(without)).size).toBe(0);
  });
  test("are named where the container has no place for them", async () => {
    const { report } = await rewritten(bytes, "b.traj");
    const names = [...(await membersOf(bytes)).keys()];
    expect(report.lost.map(({ path }) => path).sort()).toEqual(names.map((name) => `members/${name}`).sort());
  });
});

describe("joined recordings", () => {
  const first = zipSync({ ...RECORDING, same: NOTES, "own.txt": [NOTES, { level: 9 }] });
  test("carry the members of all; what is the same counts once, another of that name is named", async () => {
    const second = zipSync({ ...RECORDING, same: NOTES, "own.txt": [PICTURE, { level: 9 }], third: PICTURE });
    const { report, bytes } = await edited(
      first,
      { op: "join", files: ["b.nanover.zip"] },
      { "b.nanover.zip": second },
    );
    const content = unzipSync(bytes);
    expect(Object.keys(content)).toEqual([...KNOWN.slice(0, 2), "same", "own.txt", "third"]);
    expect(content["own.txt"]).toEqual(NOTES);
    expect(report.lost).toEqual([
      { path: "members/own.txt", count: 1, reason: "an earlier recording has another member of that name" },
    ]);
  });
  test("have the comment of the first that has one", async () => {
    const commented = withComment(first, "evening");
    expect(Buffer.from((await rewritten(commented)).files.bytes.slice(-7)).toString()).toBe("evening");
    const others = { "b.nanover.zip": withComment(plain, "morning") };
    const { report, bytes } = await edited(commented, { op: "join", files: ["b.nanover.zip"] }, others);
    expect(Buffer.from(bytes.slice(-7)).toString()).toBe("evening");
    expect(report.lost.map(({ path }) => path)).toEqual(["comment"]);
  });
});

describe("members that cannot be trusted", () => {
  test("are not read at once, however long they are", async () => {
    const bytes = zipSync({ ...RECORDING, "film.bin": [new Uint8Array(5 << 20).fill(7), { level: 0 }] });
    let longest = 0;
    const bundle = watched(bytes, (_, length) => {
      longest = Math.max(longest, length);
    });
    const reader = await nanover.open(bundle, new Findings(), {});
    const files = new MemoryFiles(NAME);
    const writer = await writing.create(files, { like: reader });
    longest = 0;
    await writer.close();
    await reader.close();
    expect(longest).toBe(1 << 20);
    expect(unzipSync(files.bytes)["film.bin"]!.length).toBe(5 << 20);
  });
  test("with bytes of other members are named and not written, so that nothing grows", async () => {
    const bytes = zipSync({ ...RECORDING, one: [PICTURE, { level: 0 }], two: [PICTURE, { level: 0 }] });
    const entry = Buffer.from(bytes).lastIndexOf("two") - 46;
    const other = Buffer.from(bytes).lastIndexOf("one") - 46;
    bytes.copyWithin(entry + 42, other + 42, other + 46);
    const { report, files } = await rewritten(bytes);
    expect(report.lost).toMatchObject([{ path: "members/two", count: 1 }]);
    expect(Object.keys(unzipSync(files.bytes))).toEqual([...KNOWN.slice(0, 2), "one"]);
  });
  test("with a damaged header are named", async () => {
    const bytes = zipSync({ ...RECORDING, "one.bin": [PICTURE, { level: 0 }], two: [PICTURE, { level: 0 }] });
    bytes[Buffer.from(bytes).indexOf("one.bin") - 30]! ^= 1;
    const { report, files } = await rewritten(bytes);
    expect(report.lost).toMatchObject([
      { path: "members/one.bin", reason: expect.stringContaining("header is damaged") },
    ]);
    expect(Object.keys(unzipSync(files.bytes))).toEqual([...KNOWN.slice(0, 2), "two"]);
  });
  const [stored, deflated, empty] = [NOTES, NOTES.slice(0, 900), new Uint8Array(0)];
  const parts: Zippable = {
    "a.bin": [stored, { level: 0 }],
    "b.txt": [deflated, { level: 9 }],
    "c.txt": [empty, { level: 0 }],
  };
  test.each([
    ["a.bin", "data", 40],
    ["b.txt", "data", 40],
    ["b.txt", "data", 1],
    ["c.txt", "checksum", 0],
  ])("with a flipped bit are carried as they are, and named: %s, %s", async (name, what, into) => {
    const bytes = zipSync({ ...RECORDING, ...parts });
    const view = Buffer.from(bytes.buffer);
    if (what === "data") bytes[view.indexOf(name) + name.length + into]! ^= 4;
    else bytes[view.lastIndexOf(name) - 46 + 16]! ^= 4;
    const path = `members/${name}`;
    const reason = expect.stringMatching(/does not match its size and checksum; the member is kept as it is$/);
    const { report, files } = await rewritten(bytes);
    expect(report.lost).toEqual([{ path, count: 1, reason }]);
    expect(rawOf(files.bytes, name)).toEqual(rawOf(bytes, name));
    expect((await edited(bytes, { op: "trim", from: 1e9 })).report.lost).toEqual([{ path, count: 1, reason }]);
    const { report: mended } = await repaired(bytes.slice(0, -1));
    const offset = view.indexOf(name) - 30;
    expect(mended.lost).toMatchObject([{ code: "bad-checksum", severity: "loss", message: reason, offset }]);
    expect(mended.bytesLost).toBe(0);
    await using recording = await open(bundleOfFiles({ [NAME]: bytes }));
    const { status, findings } = await check(recording);
    const message = `${path}: its content does not match its size and checksum`;
    expect(status).toBe("sound");
    expect(findings).toEqual([{ code: "bad-checksum", severity: "warning", message, offset }]);
    const { report: copied, bytes: copy } = await repaired(bytes);
    expect(copied).toMatchObject({ status: "sound", lost: [], findings });
    expect(copy).toEqual(bytes);
  });
  test("with a flipped bit are found in all pieces of a long one", async () => {
    const noise = Uint8Array.from({ length: 3 << 20 }, (_, i) => (Math.imul(i, 0x9e3779b1) >>> 13) & 255);
    for (const level of [0, 6] as const) {
      const bytes = zipSync({ ...RECORDING, "film.bin": [noise, { level }] });
      expect((await rewritten(bytes)).report.lost).toEqual([]);
      const directory = Buffer.from(bytes).readUInt32LE(bytes.length - 6);
      bytes[directory - 30]! ^= 1;
      expect((await rewritten(bytes)).report.lost).toMatchObject([{ path: "members/film.bin" }]);
      await using recording = await open(bundleOfFiles({ [NAME]: bytes }));
      expect((await check(recording)).findings).toMatchObject([{ offset: expect.any(Number), severity: "warning" }]);
    }
  });
  test("are named up to a hundred, and counted", async () => {
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`m${i}`, PICTURE.subarray(0, i)]));
    const { report } = await edited(zipSync({ ...RECORDING, ...many }), { op: "redact", channels: ["state"] });
    expect(report.lost.length).toBe(101);
    expect(report.lost.reduce((sum, { count }) => sum + count, 0)).toBe(150);
  });
});

describe("a zip that is cut", () => {
  const orders: readonly (readonly [string, Zippable])[] = [
    ["our own member in front", { ...own, ...RECORDING }],
    [
      "our own member between",
      { "messages.msgpack": RECORDING["messages.msgpack"]!, ...own, "index.msgpack": RECORDING["index.msgpack"]! },
    ],
    ["our own member behind", { ...RECORDING, ...own }],
    [
      "the index in front",
      { "index.msgpack": RECORDING["index.msgpack"]!, ...own, "messages.msgpack": RECORDING["messages.msgpack"]! },
    ],
    [
      "members of other names all over",
      { first: [NOTES, { level: 0 }], ...own, second: [NOTES, { level: 9 }], ...RECORDING, ...OTHERS },
    ],
    [
      "members that are alike",
      { ...RECORDING, "a.zip": [zipSync({ x: NOTES }, { level: 0 }), { level: 0 }], z: NOTES },
    ],
  ];
  test.each(orders)("anywhere in its directory has all times, with %s", async (_, members) => {
    const bytes = zipSync(members);
    const whole = await rowsOfFiles({ [NAME]: bytes });
    const directory = Buffer.from(bytes).readUInt32LE(bytes.length - 6);
    const names = Object.keys(members).filter((name) => !KNOWN.includes(name));
    for (let length = bytes.length - 1; length >= directory; length -= 9) {
      const findings = new Findings();
      const reader = await openFiles({ [NAME]: bytes.slice(0, length) }, findings);
      expect(
        findings.list().map(({ code }) => code),
        `${length} bytes`,
      ).toEqual(["missing-directory"]);
      expect(reader.info.metadata["provenance"]).toBe("simtape.json" in members ? OWN : undefined);
      const foreign = await reader.messages.foreign!();
      const found = foreign.members.map(({ entry }) => Buffer.from(entry.name).toString());
      expect(found.sort(), `${length} bytes`).toEqual(names.toSorted());
      await reader.close();
    }
    expect(await rowsOfFiles({ [NAME]: bytes.slice(0, directory + 3) })).toEqual(whole);
  });
  test("or has more bytes in its messages keeps the members behind the index, and names one that it does not find", async () => {
    const { "messages.msgpack": first, "index.msgpack": second } = RECORDING;
    const bytes = zipSync({ "messages.msgpack": first!, "b.txt": NOTES, "index.msgpack": second!, ...OTHERS });
    const at = 400;
    const longer = Buffer.concat([bytes.subarray(0, at), Buffer.alloc(29, 0xc1), bytes.subarray(at)]);
    const { report, bytes: whole } = await repaired(new Uint8Array(longer));
    const [before, after] = [await membersOf(bytes), await membersOf(whole)];
    before.delete("b.txt");
    expect(after).toEqual(before);
    expect(report.lost.filter(({ message }) => message.includes("member"))).toMatchObject([
      { message: expect.stringContaining('"b.txt" was not kept') },
    ]);
  });
  test("anywhere in the last members keeps those that are whole, and names the one that is cut", async () => {
    const bytes = zipSync({ ...RECORDING, "one.bin": [PICTURE, { level: 0 }], "two.txt": [NOTES, { level: 9 }] });
    const view = Buffer.from(bytes);
    const [one, two, directory] = [
      view.indexOf("one.bin") - 30,
      view.indexOf("two.txt") - 30,
      view.readUInt32LE(bytes.length - 6),
    ];
    for (let length = directory; length > one; length -= 97) {
      const { report, bytes: whole } = await repaired(bytes.slice(0, length));
      const names = Object.keys(unzipSync(whole)).slice(2);
      expect(names, `${length} bytes`).toEqual(
        length === directory ? ["one.bin", "two.txt"] : length >= two ? ["one.bin"] : [],
      );
      const lost = report.lost.map(({ message }: Finding) => message);
      if (length === directory || (length >= two && length <= two + 2)) expect(lost).toEqual([]);
      else expect(lost, `${length} bytes`).toEqual([expect.stringMatching(/member .*(cut|damaged)/)]);
      if (length > two + 37 && length < directory) expect(lost[0]).toContain('"two.txt"');
      expect(report.messagesKept).toBe(moments.length);
    }
  });
});

test.each([0, 9])("the end of a member without a directory is searched once, level %i", async (level) => {
  let random = 1;
  const film = Uint8Array.from({ length: 2 << 20 }, () => {
    random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
    return random >>> 24;
  });
  const bytes = described({
    "messages.msgpack": [MESSAGES, 0],
    "index.msgpack": [INDEX, 0],
    "film.bin": [film, level],
  });
  const [begin, end] = [Buffer.from(bytes).indexOf("film.bin") + 64, Buffer.from(bytes).readUInt32LE(bytes.length - 6)];
  let read = 0;
  const bundle = watched(bytes.slice(0, end), (offset, length) => {
    read += Math.max(0, Math.min(end, offset + length) - Math.max(begin, offset));
  });
  const reader = await nanover.open(bundle, new Findings(), {});
  // once for the names that are in the file, once for the end of the member
  expect(read / (end - begin)).toBeLessThan(2.5);
  const files = new MemoryFiles(NAME);
  const writer = await writing.create(files, { like: reader });
  expect(read / (end - begin)).toBeLessThan(2.5);
  await writer.close();
  expect(read / (end - begin)).toBeLessThan(3.5);
  await reader.close();
  expect(unzipSync(files.bytes)["film.bin"]).toEqual(film);
});

test("an index whose name is damaged in the directory is found by its own header", async () => {
  const bytes = plain.slice();
  bytes[Buffer.from(bytes).lastIndexOf("index.msgpack")]! ^= 1;
  const findings = new Findings();
  const reader = await openFiles({ [NAME]: bytes }, findings);
  expect(findings.list().map(({ code }) => code)).toEqual(["missing-directory"]);
  expect((await reader.messages.foreign!()).members).toEqual([]);
  await reader.close();
  expect(await rowsOfFiles({ [NAME]: bytes })).toEqual(await rowsOfFiles({ [NAME]: plain }));
});

test("our own member is read when another tool has compressed it", async () => {
  const bytes = zipSync({ ...RECORDING, "simtape.json": [new TextEncoder().encode(OWN), { level: 9 }] });
  const reader = await openFiles({ [NAME]: bytes });
  expect(reader.info.metadata["provenance"]).toBe(OWN);
  await reader.close();
  expect(unzipSync((await rewritten(bytes)).files.bytes)["simtape.json"]).toEqual(new TextEncoder().encode(OWN));
});

test("another member of a known name is named when it is left out", async () => {
  const other = "index.msgpacc";
  const bytes = zipSync({ [other]: NOTES, ...RECORDING });
  const view = Buffer.from(bytes);
  for (const at of [view.indexOf(other), view.lastIndexOf(other)]) view.write("index.msgpack", at);
  const { report, files } = await rewritten(new Uint8Array(view));
  expect(report.lost).toMatchObject([{ path: "members/index.msgpack" }]);
  expect(filesOf(files)[NAME]!.length).toBe(plain.length);
});
