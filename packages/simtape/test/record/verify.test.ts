import { describe, expect, test } from "vitest";
import { writePlaceEvent, writeSwing } from "../../src/formats/hcrp/layout/entity-events.ts";
import { EVENT } from "../../src/formats/hcrp/layout/events.ts";
import { Move, writeMove } from "../../src/formats/hcrp/layout/motion.ts";
import { writeSetBlock } from "../../src/formats/hcrp/layout/world-events.ts";
import { loadZstd } from "../../src/kit.ts";
import { verify } from "../../src/record/compact/verify.ts";
import { bundleOfFiles } from "../conformance/mutate.ts";
import { productionRun, twoEpochs, walk } from "../fixtures/hcrp/make.ts";
import { type ChunkContent, event, production, segmented } from "../fixtures/hcrp/recording.ts";
import { SOUND } from "../specimens.ts";
import { segmentedBundle, wildContent } from "./wild.ts";

/** Files of a walk in segments of one chunk, with one of them changed. */
async function bent(name: string, change: (bytes: Uint8Array) => void) {
  const files = segmented(await loadZstd(), walk(), 1);
  const bytes = files[name]!.slice();
  change(bytes);
  return bundleOfFiles({ ...files, [name]: bytes });
}

describe("strict verification", () => {
  test("finds sound recordings of every representation and dialect sound", async () => {
    for (const { format, bundle } of SOUND) {
      if (format !== "hcrp") continue;
      expect(await verify(bundle())).toMatchObject({ status: "sound", snapshotsDiffering: 0, findings: [] });
    }
    expect(await verify(await segmentedBundle(walk()))).toMatchObject({
      status: "sound",
      representation: "segmented",
      isFinished: true,
      chunks: 4,
      snapshots: 2,
      ticks: 240,
    });
    expect(await verify(await segmentedBundle(twoEpochs()))).toMatchObject({ status: "sound", findings: [] });
    expect(await verify(await segmentedBundle(walk(), 2, { profile: "plain" }))).toMatchObject({
      status: "sound",
      isFinished: null,
    });
    const bytes = production(await loadZstd(), 5, productionRun(5));
    expect(await verify(bundleOfFiles({ "run.hcrp": bytes }))).toMatchObject({ status: "sound", stateHash: null });
  });

  test("gives the same event hash to what means the same, and another to what does not", async () => {
    const [one, same, other] = [wildContent(5), wildContent(5), wildContent(6)];
    const hashes = [one, same, other].map(async (content) => (await verify(await segmentedBundle(content))).eventHash);
    const [a, b, c] = await Promise.all(hashes);
    expect(a).toBe(b);
    expect(a).not.toBe(c);
  });

  test("tells a damaged frame, a damaged record and a record of another recording", async () => {
    const last = "seg-00000003.hcs";
    for (const [change, reported] of [
      [(bytes: Uint8Array) => (bytes[bytes.length - 2]! ^= 1), /crc32 of the frame/],
      [(bytes: Uint8Array) => (bytes[70]! ^= 1), /chunk record, crc32/],
      [(bytes: Uint8Array) => bytes.fill(0, 0, 8), /not a chunk record/],
    ] as const) {
      const report = await verify(await bent(last, change));
      expect(report).toMatchObject({ status: "damaged", chunks: 4, chunksDamaged: 1 });
      expect(report.findings.at(-1)?.message).toMatch(reported);
    }
  });

  test("tells a snapshot that says something else than the events before it", async () => {
    const content = walk();
    const without = { ...content.chunks[1]!, records: content.chunks[1]!.records.slice(0, -3) };
    const chunks = content.chunks.map((chunk, i) => (i === 1 ? without : chunk));
    const report = await verify(await segmentedBundle({ ...content, chunks }));
    expect(report).toMatchObject({ status: "sound", snapshotsDiffering: 1 });
    expect(report.findings).toMatchObject([{ code: "snapshot-differs", severity: "warning", time: 120 * 5e7 }]);
  });

  test("tells palette indices that are not there, and counts moves of strangers", async () => {
    const chunk = (events: ChunkContent["records"][number]["events"]): ChunkContent => ({
      ticks: 10,
      snapshot: [],
      records: [{ tick: 2, events }],
    });
    const block = event(EVENT.setBlock, (out) => writeSetBlock(out, { delta: new Float64Array(3), block: 9 }));
    const bad = await verify(await segmentedBundle({ chunks: [chunk([block])] }));
    expect(bad.findings[0]?.message).toMatch(/palette 0 has 0 entries, index 9/);
    const move = (entity: number) =>
      event(EVENT.move, (out) => writeMove(out, Object.assign(new Move(), { entity, mask: 1, x: 4 })));
    const place = event(EVENT.place, (out) =>
      writePlaceEvent(out, { entity: 1, q: new Float64Array(3), yaw: 0, pitch: 0, flags: 0 }),
    );
    const swing = event(EVENT.swing, (out) => writeSwing(out, { entity: 9, hand: 0 }));
    const strangers = await verify(
      await segmentedBundle({ chunks: [chunk([move(1), place, move(1), move(2), swing])] }),
    );
    expect(strangers).toMatchObject({ status: "sound", events: 5, strayMoves: 2 });
  });

  test("follows nothing behind a lost chunk until the next snapshot", async () => {
    const report = await verify(await bent("seg-00000000.hcs", (bytes) => (bytes[bytes.length - 2]! ^= 1)));
    expect(report).toMatchObject({ status: "damaged", chunksDamaged: 1, snapshotsDiffering: 0, strayMoves: 0 });
  });
});
