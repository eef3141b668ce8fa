import { createRequire } from "node:module";
import { WebSocket } from "ws";
import { afterEach, describe, expect, test } from "vitest";
import { allFormats } from "../../../src/cli/input/formats.ts";
import { mcap } from "../../../src/export/mcap/exporter.ts";
import { type Clock, MemoryFiles, open } from "../../../src/index.ts";
import { type Judged, streamed } from "../../export/mcap/judge.ts";
import { REAL, SOUND, type SoundRecording } from "../../specimens.ts";
import { SdkClient } from "./sdk-client.ts";
import { atEnd, endAll, served } from "./support.ts";

const { FoxgloveClient } = createRequire(import.meta.url)(
  "@foxglove/ws-protocol",
) as typeof import("@foxglove/ws-protocol");

afterEach(endAll);

/** Recordings of more bytes take too long to be played twice. */
const MOST = 4 << 20;
/** Milliseconds that messages may take; what is missing then is named. */
const TIMEOUT = 60_000;

function sizeOf({ files }: SoundRecording): number {
  return Object.values(files).reduce((sum, { length }) => sum + length, 0);
}

const CASES = [...SOUND, ...REAL].filter((of) => sizeOf(of) < MOST);

interface Expected {
  readonly messages: readonly Judged[];
  /** Data of the schemas, by name. */
  readonly schemas: ReadonlyMap<string, Uint8Array>;
}

/** What a client has to get: the messages of an MCAP file as they are, and those of the export of any other. */
async function expected({ format, files, bundle }: SoundRecording): Promise<Expected> {
  if (format === "mcap") return streamed(Object.values(files)[0]!);
  await using recording = await open(bundle(), { formats: allFormats() });
  const to = new MemoryFiles("out.mcap");
  await mcap.write(recording, to, {});
  return streamed(to.bytes);
}

/** Messages as texts, by topic: equal times of one topic keep their order. */
function byTopic(
  messages: readonly { readonly topic: string; readonly time: bigint; readonly data: Uint8Array }[],
): Map<string, string[]> {
  const topics = new Map<string, string[]>();
  for (const { topic, time, data } of messages) {
    const text = `${time} ${Buffer.from(data).toString("base64")}`;
    const of = topics.get(topic);
    if (of === undefined) topics.set(topic, [text]);
    else of.push(text);
  }
  return topics;
}

/** Whether a scene update has nothing but deletions, which are its field 1; entities are field 2. */
function isDeletions(text: string): boolean {
  const bytes = Buffer.from(text.split(" ")[1]!, "base64");
  let at = 0;
  while (at < bytes.length && bytes[at] === 0x0a && bytes[at + 1]! < 128) at += 2 + bytes[at + 1]!;
  return at === bytes.length;
}

/** What Foxglove's own client of the older protocol gets from now on, by topic. Settles when it knows of channels. */
async function heardByOlder(address: string): Promise<ReadonlyMap<string, string[]>> {
  const got = new Map<string, string[]>();
  const topics = new Map<number, string>();
  const client = new FoxgloveClient({
    ws: new WebSocket(address, [FoxgloveClient.SUPPORTED_SUBPROTOCOL], { maxPayload: 0 }) as never,
  });
  atEnd(() => Promise.resolve(client.close()));
  client.on("message", ({ subscriptionId, timestamp, data }) => {
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    got.get(topics.get(subscriptionId)!)!.push(`${timestamp} ${bytes.toString("base64")}`);
  });
  await new Promise<void>((resolve) => {
    client.on("advertise", (channels) => {
      for (const { id, topic } of channels) {
        topics.set(client.subscribe(id), topic);
        if (!got.has(topic)) got.set(topic, []);
      }
      resolve();
    });
  });
  return got;
}

/** Time that passes a thousand times as fast. */
function fastClock(): Clock {
  return {
    now: () => Math.round(performance.now() * 1e9),
    wake: (at, then) => {
      const timer = setTimeout(then, Math.max(0, at / 1e9 - performance.now()));
      return () => clearTimeout(timer);
    },
  };
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

describe.each(CASES.map((of) => [`${of.format}: ${of.name}`, of] as const))("%s", { timeout: 240_000 }, (_name, of) => {
  test("every channel has the messages of the export, from the start to the end, by both protocols", async () => {
    const { messages, schemas } = await expected(of);
    const { deck, address } = await served([of.bundle], { waiting: 1 << 30 }, { clock: fastClock(), rate: 64 });
    const client = new SdkClient(address);
    atEnd(() => client.close());
    await client.until(() => client.playbacks.length > 0);
    const { player } = deck.loaded!;
    const older = await heardByOlder(address);
    // a first round, in which topics of things become known that come later
    client.subscribeAll();
    await client.answered();
    player.play();
    await client.until(() => client.playbacks.at(-1)!.status === 3);
    client.control("pause", 64, 0n, "again");
    const { behind } = await client.until(() => client.playbacks.find(({ request }) => request === "again"));
    client.control("play", 64, null, "play");
    const wanted = byTopic(messages.map(({ topic, logTime, data }) => ({ topic, time: logTime, data })));
    const isWhole = (got: ReadonlyMap<string, string[]>): boolean =>
      [...wanted].every(([topic, list]) => got.get(topic)?.at(-1) === list.at(-1));
    // what is missing is named below, and not waited for
    await Promise.race([
      client.until(
        () => client.messages.length - behind >= messages.length && isWhole(byTopic(client.messages.slice(behind))),
      ),
      wait(TIMEOUT),
    ]);
    for (const end = performance.now() + TIMEOUT; !isWhole(older) && performance.now() < end; ) await wait(20);
    const got = byTopic(client.messages.slice(behind));
    expect([...got.keys()].sort()).toEqual([...wanted.keys()].sort());
    for (const [topic, list] of wanted) {
      const of = got.get(topic)!;
      // what the client had on its scene leaves it first
      if (topic.startsWith("/state/scene/") && of[0] !== list[0] && isDeletions(of[0]!)) of.shift();
      expect(of, topic).toEqual(list);
      // the second round is the end of what the other client has of both
      expect(older.get(topic)!.slice(-list.length), topic).toEqual(list);
    }
    for (const { topic, schemaName, schema, schemaEncoding } of client.channels.values()) {
      if (!wanted.has(topic)) continue;
      const own = messages.find((message) => message.topic === topic)!;
      expect(schemaName).toBe(own.schema);
      const data = schemaEncoding === "protobuf" ? Buffer.from(schema, "base64") : Buffer.from(schema);
      expect(Buffer.compare(data, Buffer.from(schemas.get(schemaName) ?? []))).toBe(0);
    }
  });
});
