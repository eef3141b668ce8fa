import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { matching } from "../../../src/cli/input/glob.ts";
import { hcrp } from "../../../src/formats/hcrp/format.ts";
import { FLAG_CLIP, KNOWN_LOW_FLAGS } from "../../../src/formats/hcrp/layout/framing.ts";
import { writing } from "../../../src/formats/hcrp/writing.ts";
import {
  applyEdits,
  check,
  MemoryFiles,
  open as openRecording,
  type Operation,
  type Recording,
  repair,
  writeEdited,
} from "../../../src/index.ts";
import { loadZstd } from "../../../src/kit.ts";
import { bundleOfFiles } from "../../conformance/mutate.ts";
import { productionRun, walk } from "../../fixtures/hcrp/make.ts";
import { compacted, production } from "../../fixtures/hcrp/recording.ts";

const zstd = await loadZstd();
const open = (bytes: Uint8Array): Promise<Recording> =>
  openRecording(bundleOfFiles({ "run.hcrp": bytes }), { formats: [hcrp] });

const EDITS: Readonly<Record<string, readonly Operation[]>> = {
  "trim its end": [{ op: "trim", until: 2e9 }],
  "trim its beginning": [{ op: "trim", from: 1e9 }],
  shift: [{ op: "shift", by: 1e9 }],
  filter: [{ op: "filter", exclude: ["set-block"] }],
  annotate: [{ op: "annotate", at: 0, text: "look", kind: "note" }],
  join: [{ op: "join", files: ["itself"], gap: 0 }],
};

/** Unknown bits of the flags, as they stand in a header whose checksum is right, or in one that is damaged. */
const HEADERS: Readonly<Record<string, (flags: number) => Uint8Array>> = {
  "an extended header": (flags) =>
    compacted(zstd, walk(), {
      profile: "extended",
      header: (each) => ({ ...each, flags: each.flags | (flags & 0xff00) }),
    }),
  "a plain header": (flags) =>
    compacted(zstd, walk(), {
      profile: "plain",
      header: (each) => ({ ...each, flags: each.flags | (flags & 0xff00) }),
    }),
  "a damaged header": (flags) => {
    const bytes = compacted(zstd, walk(), { profile: "extended" });
    bytes[5]! |= flags >> 8;
    bytes[6]! |= flags & 0xff;
    // more than a checksum can put right
    bytes.fill(0xa5, 24, 40);
    return bytes;
  },
  "a header of the production dialect": (flags) => {
    const bytes = production(zstd, 4, productionRun(4));
    bytes[6]! |= flags >> 8;
    bytes[7]! |= flags & 0xff;
    return bytes;
  },
};

async function edited(recording: Recording, operations: readonly Operation[]): Promise<Uint8Array> {
  const other = (): Promise<Recording["reader"]> => Promise.resolve(recording.reader);
  const { reader } = await applyEdits(recording.reader, { version: 1, operations }, { writing, matching, open: other });
  const files = new MemoryFiles("run.hcrp");
  await writeEdited(reader, writing, files);
  return files.bytes;
}

describe.each(Object.entries(HEADERS))("flags that are not known, of %s", (_, make) => {
  test.each(Object.entries(EDITS))("are in nothing that is made of it: %s", async (_name, operations) => {
    const unknown = fc.integer({ min: 1, max: 0xffff }).map((bits) => bits & ~KNOWN_LOW_FLAGS & ~FLAG_CLIP);
    const property = fc.asyncProperty(unknown, async (flags) => {
      const recording = await open(make(flags));
      await using made = await open(await edited(recording, operations));
      const { findings, status } = await check(made);
      expect([status, findings]).toEqual(["sound", []]);
      expect((made.info.metadata["flags"] as number) & ~KNOWN_LOW_FLAGS & ~FLAG_CLIP).toBe(0);
      await recording.close();
    });
    await fc.assert(property, { numRuns: 8 });
  });

  test("are in no repaired recording", async () => {
    const recording = await open(make(0xf0f0));
    const files = new MemoryFiles("run.hcrp");
    const bundle = bundleOfFiles({ "run.hcrp": make(0xf0f0) });
    const { status } = await repair(recording, bundle, writing, files, (written) =>
      openRecording(written, { formats: [hcrp] }),
    );
    await using made = await open(files.bytes);
    expect((await check(made)).status).toBe("sound");
    // what is sound is copied as it is
    if (status === "repaired") expect((made.info.metadata["flags"] as number) & 0xf0f0).toBe(0);
  });
});
