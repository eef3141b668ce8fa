import { deepEqual, equal } from "node:assert/strict";
import { describe, test } from "node:test";
import { memory, open } from "simtape";
import * as kit from "simtape/kit";
import { describeFormat } from "simtape/testing";
import format from "./format.ts";
import { MAGIC, RECORD } from "./layout.ts";
import { makeSample } from "./sample.ts";

const ours = format(kit);
const sample = makeSample();
/** In the middle of a record. */
const broken = sample.slice().fill(0xee, MAGIC.length + 50 * RECORD + 10, MAGIC.length + 50 * RECORD + 14);
const files = (bytes: Uint8Array): Record<string, Uint8Array> => ({ "sample.newformat": bytes });

// What every format must do, with a sound file and two damaged ones.
describeFormat(
  ours,
  [
    { name: "sound", files: files(sample) },
    { name: "cut", files: files(sample.slice(0, -10)), isDamaged: true },
    { name: "overwritten", files: files(broken), isDamaged: true },
  ],
  { describe, test },
);

// What only this format does.
await test("the state has each thing where it is", async () => {
  const recording = await open(memory(sample), { formats: [ours] });
  const things = (await recording.state(5e9)).sets.get("things");
  deepEqual(things?.ids, [1, 2]);
  deepEqual([...(things?.columns.get("position")?.data ?? [])], [10, 0, 0, 5, 5, 0]);
  await recording.close();
});

await test("damage costs the record that it hits", async () => {
  const recording = await open(memory(broken), { formats: [ours] });
  equal((await recording.statistics())[0]?.messages, 201);
  await recording.close();
});
