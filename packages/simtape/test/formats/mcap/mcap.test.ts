import { describe, expect, test } from "vitest";
import { mcap } from "../../../src/formats/mcap/format.ts";
import { FORMATS } from "../../../src/index.ts";
import { describeFormat } from "../../../src/testing/index.ts";
import { openFiles } from "../../../src/testing/observe.ts";
import { patrol } from "../../fixtures/mcap/patrol.ts";
import { PAYLOADS, specimens } from "./specimens.ts";

const formats = [...FORMATS.filter(({ id }) => id !== "mcap"), mcap];
const made = await specimens();

describeFormat(mcap, made, { describe, test }, { formats });

test.each(made.filter(({ isDamaged, name }) => isDamaged !== true && name !== "no message" && !PAYLOADS.has(name)))(
  "$name has the messages that were written",
  async ({ files }) => {
    const recording = await openFiles(files, formats);
    const { messages } = patrol();
    const found: unknown[] = [];
    const { epoch } = await recording.timeline();
    for await (const batch of recording.batches()) {
      for (let i = 0; i < batch.length; i++) {
        found.push([recording.channels[batch.channel[i]!]!.name, epoch! + BigInt(batch.time[i]!), batch.payload(i)]);
      }
    }
    const topics = new Map(patrol().channels.map(({ id, topic }) => [id, id === 42 ? `${topic}#42` : topic]));
    const expected = messages
      .map(({ channel, time, data }, i) => ({ row: [topics.get(channel), time, data], i, time }))
      .sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : a.i - b.i));
    expect(found).toEqual(expected.map(({ row }) => row));
    expect(recording.info.metadata).toMatchObject({
      metadata: [{ name: "run", texts: { robot: "r2", site: "hall" } }],
      attachments: [{ name: "map.pgm", mediaType: "image/x-portable-graymap", bytes: 10 }],
    });
    await recording.close();
  },
);
