import { createHash } from "node:crypto";
import { encode } from "@msgpack/msgpack";
import { describe, expect, test } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { nanover } from "../../src/formats/nanover/format.ts";
import { filesBundle, memory, MemoryFiles, open } from "../../src/index.ts";
import { connectLink } from "../../src/io/node/index.ts";
import { finishTake } from "../../src/live/finish.ts";
import { JournalReader } from "../../src/live/journal.ts";
import { nanoverFeed } from "../../src/live/nanover/feed.ts";
import { LiveRing } from "../../src/live/ring.ts";
import { recordInto, recordTake } from "../../src/live/take.ts";

/** Messages of a small server: single parts, several parts, and one that clears. */
function messageOf(i: number): Uint8Array {
  const positions = new Uint8Array(Float32Array.of(i, i + 0.5, -i).buffer);
  const frame = {
    "frame.index": i === 0 || i === 30 ? 0 : i,
    "particle.count": 1,
    "particle.positions": positions,
    [`k${i % 7}`]: i + 0.25,
  };
  const state = { updates: { [`user.${i % 5}`]: { n: i } }, removals: i % 11 === 10 ? ["user.1"] : [] };
  if (i % 3 === 0) return encode({ frame, state });
  return i % 3 === 1 ? encode({ frame }) : encode({ state });
}

interface Script {
  readonly messages: readonly (Uint8Array | string)[];
  /** The connection breaks behind so many. */
  readonly breaksAt?: number;
}

/** A server that says its messages to each client and, for a break, goes on with the next one. */
async function scripted({ messages, breaksAt }: Script, every = 0): Promise<{ address: string; close: () => void }> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  let at = 0;
  const speak = async (socket: WebSocket): Promise<void> => {
    for (; at < messages.length; ) {
      socket.send(messages[at]!);
      at++;
      if (every > 0) await new Promise((resolve) => setTimeout(resolve, every));
      if (at === breaksAt) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        socket.terminate();
        return;
      }
    }
    socket.close(1000);
  };
  server.on("connection", (socket) => void speak(socket));
  await new Promise((resolve) => server.once("listening", resolve));
  return { address: `ws://127.0.0.1:${(server.address() as { port: number }).port}`, close: () => server.close() };
}

async function taken(script: Script): Promise<{ journal: Uint8Array; report: Awaited<ReturnType<typeof recordTake>> }> {
  const server = await scripted(script);
  const files = new MemoryFiles("run.take");
  const feed = nanoverFeed(server.address, (signal) => connectLink(server.address, { signal }));
  const report = await recordTake(feed, await files.open());
  server.close();
  return { journal: [...files.files.values()][0]!, report };
}

async function payloadsOf(files: MemoryFiles): Promise<string[]> {
  await using recording = await open(filesBundle(files.files, files.name), { formats: [nanover] });
  const found = new Map<number, string>();
  for await (const batch of recording.batches())
    for (let i = 0; i < batch.length; i++) found.set(batch.start[i]!, hash(batch.payload(i)));
  return [...found.values()];
}

function hash(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function finished(
  journal: Uint8Array,
): Promise<{ files: MemoryFiles; report: Awaited<ReturnType<typeof finishTake>> }> {
  const reader = await JournalReader.open(memory(journal));
  const files = new MemoryFiles("run.nanover.zip");
  const report = await finishTake(reader, nanover, files);
  await reader.close();
  return { files, report };
}

describe("a take", () => {
  const messages = Array.from({ length: 60 }, (_, i) => messageOf(i));

  test("has every message with its bytes, those with several parts too", async () => {
    const { journal, report } = await taken({ messages });
    expect(report).toMatchObject({ messages: 60, gaps: [], lost: [], failure: null });
    const { files, report: end } = await finished(journal);
    expect(end).toMatchObject({ messages: 60, gaps: [], lost: [] });
    expect(await payloadsOf(files)).toEqual(messages.map(hash));
  });

  test("connects again, and says what is missing", async () => {
    const { journal, report } = await taken({ messages, breaksAt: 25 });
    expect(report.gaps.length).toBe(1);
    expect(report.gaps[0]!.until).toBeGreaterThan(report.gaps[0]!.from);
    const { files, report: end } = await finished(journal);
    expect(end.gaps).toEqual(report.gaps);
    expect(await payloadsOf(files)).toEqual(messages.map(hash));
  });

  test("takes no garbage, and says so", async () => {
    const garbage = [
      new Uint8Array(5000).map((_, i) => i * 37),
      "text",
      messages[0]!.subarray(0, 20),
      Uint8Array.of(0xdf, 255, 255, 255, 255),
    ];
    const mixed = messages.flatMap((message, i) => (i % 20 === 5 ? [...garbage, message] : [message]));
    const { journal, report } = await taken({ messages: mixed });
    expect(report.messages).toBe(60);
    expect(report.lost.reduce((sum, { count }) => sum + count, 0)).toBe(12);
    const { files, report: end } = await finished(journal);
    expect(end.lost.reduce((sum, { count }) => sum + count, 0)).toBe(12);
    expect(await payloadsOf(files)).toEqual(messages.map(hash));
  });

  test("cut at any byte gives the messages before", async () => {
    const { journal } = await taken({ messages: messages.slice(0, 20) });
    let most = 0;
    for (let length = 0; length <= journal.length; length += 7) {
      const reader = await JournalReader.open(memory(journal.slice(0, length))).catch(() => null);
      if (reader === null) continue;
      const found: string[] = [];
      await reader.visit({ message: (_, __, payload) => found.push(hash(payload)) });
      await reader.close();
      expect(found).toEqual(messages.slice(0, found.length).map(hash));
      expect(found.length).toBeGreaterThanOrEqual(most);
      most = found.length;
    }
    expect(most).toBe(20);
  });
});

describe("a ring", () => {
  test("has the state that the whole take has, with less of it", { timeout: 20_000 }, async () => {
    const messages = Array.from({ length: 300 }, (_, i) => messageOf(i));
    const server = await scripted({ messages }, 20);
    const files = new MemoryFiles("run.take");
    const ring = new LiveRing(nanover, { length: 1.5e9 });
    const feed = nanoverFeed(server.address, (signal) => connectLink(server.address, { signal }));
    const report = await recordInto(feed, ring, { flushEvery: 200 });
    server.close();
    expect(report.messages).toBe(300);
    await ring.flush();
    const clip = new MemoryFiles("clip.nanover.zip");
    const { messages: kept } = await ring.save(clip, 0n);
    expect(kept).toBeLessThan(250);
    void files;
    await using recording = await open(filesBundle(clip.files, clip.name), { formats: [nanover] });
    const whole = new MemoryFiles("whole.nanover.zip");
    const writer = await (await nanover.writing!()).create(whole, {});
    for (const [i, message] of messages.entries()) writer.writeWhole!(i * 1e6, message);
    await writer.close();
    await using all = await open(filesBundle(whole.files, whole.name), { formats: [nanover] });
    const [a, b] = [
      await recording.state((await recording.timeline()).end),
      await all.state((await all.timeline()).end),
    ];
    expect(new Map(a.values)).toEqual(new Map(b.values));
    expect(a.sets.get("particles")!.columns.get("position")!.data).toEqual(
      b.sets.get("particles")!.columns.get("position")!.data,
    );
    // at its very beginning too: what the first message after the restated ones finds
    const { start } = await recording.timeline();
    const first = await recording.state(start);
    expect(first.values.size).toBeGreaterThan(5);
  });
});
