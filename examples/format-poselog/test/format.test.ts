import { FORMATS, memory, open } from "simtape";
import { describeFormat, type Specimen } from "simtape/testing";
import { describe, expect, test } from "vitest";
import { DIALECTS } from "../src/layout.ts";
import { format, makeLog } from "./log.ts";

const specimens: Specimen[] = [];
for (const dialect of DIALECTS) {
  const bytes = await makeLog(dialect);
  const broken = bytes.slice();
  broken.fill(0xee, 2000, 2020);
  const files = (log: Uint8Array): Specimen["files"] => ({ "drones.plog": log });
  specimens.push(
    { name: dialect, files: files(bytes) },
    { name: `${dialect}, cut`, files: files(bytes.slice(0, -10)), isDamaged: true },
    { name: `${dialect}, overwritten`, files: files(broken), isDamaged: true },
  );
}

describeFormat(format, specimens, { describe, test });

test("the library opens logs among its own formats", async () => {
  await using recording = await open(memory(await makeLog("quaternion")), { formats: [...FORMATS, format] });
  expect(recording.info).toMatchObject({ format: "poselog", metadata: { title: "two drones" } });
  expect(await recording.timeline()).toMatchObject({ start: 0, end: 10e9, epoch: 1_700_000_000_000_000_000n });
  if (!recording.is(format)) throw new TypeError("not a pose log");
  for await (const { value } of recording.messages("pose", { start: 5e9, end: 5e9 + 1 })) {
    expect([value.thing, value.position]).toEqual(value.thing === 7 ? [7, [5, 1, -2]] : [9, [3, 5, 4]]);
  }
});

test("damage costs the records it hits", async () => {
  const counts: number[] = [];
  for (const { files } of specimens.slice(0, 3)) {
    await using recording = await open(files["drones.plog"]!, { formats: [format] });
    counts.push((await recording.statistics())[0]!.messages);
  }
  expect(counts).toEqual([201, 201, 200]);
});
