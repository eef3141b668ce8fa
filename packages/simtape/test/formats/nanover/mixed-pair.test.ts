import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { check, FORMATS, MemoryFiles, open, rewrite } from "../../../src/index.ts";
import { bundleOfFiles } from "../../conformance/mutate.ts";

function fixture(name: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(`../../fixtures/nanover/${name}`, import.meta.url)));
}

/** Records of a file by the specification alone: times of 128 bits, sizes of 64, from `at` on. */
function recordsOf(bytes: Uint8Array, at: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let count = 0;
  for (; at < bytes.length; count++) at += 24 + Number(view.getBigUint64(at + 16, true));
  expect(at).toBe(bytes.length);
  return count;
}

const V2 = 16;
const PAIRS = [
  ["a v2 .traj and a .state without a header", "short.traj", V2, "headerless.state", 0],
  ["a .traj without a header and a v2 .state", "headerless.traj", 0, "short.state", V2],
] as const;

test.each(PAIRS)("%s are read together", async (_, traj, trajHead, state, stateHead) => {
  const [frames, updates] = [fixture(traj), fixture(state)];
  for (const files of [
    { "run.traj": frames, "run.state": updates },
    { "run.state": updates, "run.traj": frames },
  ]) {
    await using recording = await open(bundleOfFiles(files));
    expect(recording.findings).toEqual([]);
    expect((await check(recording)).status).toBe("sound");
    const statistics = await recording.statistics();
    expect(statistics[recording.channel("frame").id]!.messages).toBe(recordsOf(frames, trajHead));
    expect(statistics[recording.channel("state").id]!.messages).toBe(recordsOf(updates, stateHead));
    await using alone = await open(bundleOfFiles({ "run.state": updates }));
    const { end } = await alone.timeline();
    const shared = [...(await alone.state(end)).values].filter(([path]) => path.startsWith("state/"));
    const both = (await recording.state(end)).values;
    for (const [path, value] of shared) expect(both.get(path), path).toEqual(value);
    expect(shared.length).toBeGreaterThan(0);
  }
});

test("a pair out of a zip says which keys are reported another way, and is the same again where none is", async () => {
  await using zip = await open(bundleOfFiles({ "a.nanover.zip": fixture("buckyball.nanover.zip") }));
  const writing = await FORMATS.find(({ id }) => id === "nanover")!.writing!();
  const pair = new MemoryFiles("a.traj");
  const { changed } = await rewrite(zip, writing, pair);
  // By hand: the file's own bytes of every key, beside those that a zip made of the pair has.
  await using again = await open(bundleOfFiles({ "a.traj": pair.bytes, "a.state": pair.files.get("a.state")! }));
  const back = new MemoryFiles("b.nanover.zip");
  const { changed: none } = await rewrite(again, writing, back);
  expect(none).toEqual([]);
  await using second = await open(bundleOfFiles({ "b.nanover.zip": back.bytes }));
  let different = 0;
  const payloads: Uint8Array[] = [];
  for await (const { payload } of zip.messages()) payloads.push(payload);
  let i = 0;
  for await (const { payload } of second.messages()) if (Buffer.compare(payload, payloads[i++]!) !== 0) different++;
  expect(i).toBe(payloads.length);
  expect(changed.length > 0).toBe(different > 0);
});
