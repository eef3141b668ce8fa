/** Run in the empty project: node smoke.mjs FILE… opens each recording, converts it, and records one. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { convert, MemoryFiles, memoryStore, open } from "simtape";
import { fromFile } from "simtape/node";
import { record } from "simtape/record";
import { hcrp } from "simtape/formats/hcrp";

for (const path of process.argv.slice(2)) {
  const recording = await open(fromFile(path));
  let messages = 0;
  for await (const batch of recording.batches()) messages += batch.length;
  const { end } = await recording.timeline();
  const state = await recording.state(end / 2);
  assert(messages > 0 && state.values.size + state.sets.size > 0, path);
  if (recording.info.format !== "hcrp") {
    const files = new MemoryFiles("copy.hcrp");
    await convert(recording, await hcrp.writing(), files);
    const copy = await open(files.bytes);
    assert.equal(copy.info.format, "hcrp");
    await copy.close();
  }
  await recording.close();
}

const recorder = await record(memoryStore(), { id: "try", dataVersion: 4903 });
recorder.endTick();
await recorder.close();
assert.equal(
  typeof JSON.parse(readFileSync(new URL(import.meta.resolve("simtape-corpus/cases/index.json")), "utf8")),
  "object",
);
