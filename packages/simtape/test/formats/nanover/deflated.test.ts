import { constants, inflateRawSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import {
  corrupt,
  FORMATS,
  MemoryFiles,
  open,
  planCorruption as plan,
  repair,
  type RepairReport,
} from "../../../src/index.ts";
import { bundleOfFiles } from "../../conformance/mutate.ts";
import { zipOf } from "../../fixtures/nanover/containers.ts";
import { makeMoments } from "../../fixtures/nanover/make.ts";
import { tries } from "../../soak.ts";
import { filesOf, type Row, rowsOfFiles } from "./helpers.ts";

const NAME = "a.nanover.zip";
const moments = makeMoments({ seconds: 20, rate: 8, isTimed: true, switchAt: 0.6 });
const stored = zipOf(moments);
const deflated = zipOf(moments, { isDeflated: true });
/** Bytes of all messages. */
const CONTENT = Buffer.from(stored).readUInt32LE(50);
/** Where the data of the first member, the messages, begin and end. */
const DATA = 30 + "messages.msgpack".length + 20;
const DATA_END = Buffer.from(deflated).indexOf("index.msgpack") - 30;

async function repaired(bytes: Uint8Array): Promise<{ report: RepairReport; rows: readonly Row[] }> {
  const bundle = bundleOfFiles({ [NAME]: bytes });
  await using recording = await open(bundle);
  const to = new MemoryFiles(NAME);
  const writing = await FORMATS.find(({ id }) => id === "nanover")!.writing!();
  const report = await repair(recording, bundle, writing, to, (written) => open(written));
  return { report, rows: await rowsOfFiles(filesOf(to)) };
}

const textOf = ({ time, payload }: Row): string => `${time} ${Buffer.from(payload).toString("base64")}`;
const all = await rowsOfFiles({ [NAME]: deflated });
const whole = all.map(textOf);

/** How many messages are whole in the beginning of the deflated data. */
function messagesIn(data: Uint8Array): number {
  let left = inflateRawSync(data, { finishFlush: constants.Z_SYNC_FLUSH }).length;
  return all.filter(({ payload }) => {
    left -= payload.length;
    return left >= 0;
  }).length;
}

function broken(at: number): Uint8Array {
  const copy = deflated.slice();
  for (let i = 0; i < 300; i++) copy[at + i] = (at * 7 + i * i * 31) & 0xff;
  return copy;
}

describe("a zip with damage inside its deflated messages", () => {
  test("gives every message that comes out, and counts what does not", async () => {
    let ended = 0;
    for (let percent = 4; percent < 96; percent += 4) {
      const at = DATA + Math.floor(((DATA_END - DATA) * percent) / 100);
      const { report, rows } = await repaired(broken(at));
      expect(report.status).toBe("repaired");
      expect(report.messagesKept).toBe(rows.length);
      expect(report.bytesKept).toBe(rows.reduce((sum, { payload }) => sum + payload.length, 0));
      const before = messagesIn(deflated.subarray(DATA, at));
      let same = 0;
      while (same < rows.length && textOf(rows[same]!) === whole[same]) same++;
      expect(same, `at ${percent} %`).toBeGreaterThanOrEqual(before);
      if (!report.lost.some(({ code }) => code === "bad-compression")) continue;
      ended++;
      expect(report.bytesKept + report.bytesLost).toBe(CONTENT);
      const gone = report.findings.find(({ code }) => code === "missing-messages");
      expect(gone?.message).toMatch(/^\d+ messages that the index names are missing/);
      expect(Number.parseInt(gone!.message, 10)).toBeLessThanOrEqual(whole.length - rows.length);
    }
    expect(ended).toBeGreaterThan(0);
  });

  test("without directory and index counts the compressed bytes that give nothing", async () => {
    const cut = DATA + Math.floor((DATA_END - DATA) / 2);
    const { report, rows } = await repaired(deflated.slice(0, cut));
    expect(rows.length).toBeGreaterThan(whole.length / 3);
    expect(report.bytesLost).toBeGreaterThan(0);
  });

  test("never says that nothing is lost when a message is", async () => {
    for (let seed = 1; seed <= tries(15, 1000); seed++) {
      const damage = plan(deflated.length, seed, 1 + (seed % 2));
      let result: Awaited<ReturnType<typeof repaired>>;
      try {
        result = await repaired(corrupt(deflated, damage, seed));
      } catch {
        continue;
      }
      const { report, rows } = result;
      const kept = new Set(rows.map((row) => Buffer.from(row.payload).toString("base64")));
      const isWhole = whole.every((text) => kept.has(text.slice(text.indexOf(" ") + 1)));
      const said = `seed ${seed}: ${JSON.stringify(damage)}`;
      if (!isWhole) expect(report.lost.length, said).toBeGreaterThan(0);
      expect(report.bytesKept, said).toBeGreaterThanOrEqual(0);
    }
  });
});
