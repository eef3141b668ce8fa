import { type Channel, FoxgloveServer } from "@foxglove/ws-protocol";
import { afterEach, describe, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { flightgear } from "../../src/formats/flightgear/format.ts";
import { mcap } from "../../src/formats/mcap/format.ts";
import { check, filesBundle, MemoryFiles, open } from "../../src/index.ts";
import { openDatagrams } from "../../src/io/node/datagrams.ts";
import { connectLink } from "../../src/io/node/index.ts";
import type { Feed } from "../../src/live/feed.ts";
import { flightgearFeed } from "../../src/live/flightgear/feed.ts";
import { foxgloveFeed } from "../../src/live/foxglove/feed.ts";
import { PROTOCOLS } from "../../src/live/foxglove/protocol.ts";
import { LiveRing } from "../../src/live/ring.ts";
import { recordInto, type TakeReport } from "../../src/live/take.ts";
import { streamed } from "../export/mcap/judge.ts";
import { packet, Stand, wirePacket } from "./flightgear/stand.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Kept {
  readonly ring: LiveRing;
  end(): Promise<TakeReport>;
}

/** Keeps the last second or two of a feed. */
function keeping(feed: Feed): Kept {
  const ring = new LiveRing(feed.format, { length: 1.5e9 });
  const stop = new AbortController();
  const taken = recordInto(feed, ring, { signal: stop.signal, flushEvery: 20 });
  taken.catch(() => undefined);
  const end = async (): Promise<TakeReport> => {
    stop.abort();
    return taken;
  };
  closing.push(end);
  return { ring, end };
}

async function saved(ring: LiveRing, name: string): Promise<MemoryFiles> {
  await ring.flush();
  const to = new MemoryFiles(name);
  await ring.save(to, 1_700_000_000_000_000_000n);
  return to;
}

/** Seconds of a flight until it is `seconds` long, twenty packets each, on the clock of the source. */
function fly(stand: Stand, send: (bytes: Uint8Array) => void, from: number, seconds: number): void {
  expect(stand.sendsTo).toBeGreaterThan(0);
  for (let i = 0; i < seconds * 20; i++) send(packet(from + i / 20, false, 0, 8 + (from + i / 20) / 100));
}

describe("the last seconds of FlightGear", () => {
  test("are a tape that begins with the state that the whole flight has there, pilots too", async () => {
    const stand = await Stand.start();
    closing.push(() => stand.close());
    const [socket, pilots, sender] = [await openDatagrams(), await openDatagrams(), await openDatagrams()];
    closing.push(() => sender.close());
    const { ring, end } = keeping(
      flightgearFeed({
        ...{ address: stand.address, here: "127.0.0.1", rate: 20 },
        open: () => Promise.resolve(socket),
        pilots: () => Promise.resolve(pilots),
        install: () => Promise.resolve("x"),
      }),
    );
    await expect.poll(() => stand.sendsTo).toBe(socket.port);
    const send = (bytes: Uint8Array): void => sender.send(bytes, "127.0.0.1", socket.port);
    sender.send(wirePacket(), "127.0.0.1", pilots.port);
    await new Promise((resolve) => setTimeout(resolve, 100));
    // a pilot who is heard once, at the start, and ten seconds of a flight
    for (let second = 0; second < 10; second++) {
      fly(stand, send, 100 + second, 1);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const files = await saved(ring, "clip.fgtape");
    await using recording = await open(filesBundle(files.files, files.name), { formats: [flightgear] });
    expect((await check(recording)).findings.filter(({ severity }) => severity === "damage")).toEqual([]);
    const { start, end: last } = await recording.timeline();
    expect((last - start) / 1e9).toBeGreaterThan(1.4);
    expect((last - start) / 1e9).toBeLessThan(3);
    const longitudes: number[] = [];
    for await (const batch of recording.batches())
      for (let i = 0; i < batch.length; i++) {
        const channel = recording.channels[batch.channel[i]!]!;
        if (channel.name !== "signals") continue;
        const value = channel.schema.decode(batch.payload(i), batch.context) as Record<string, number>;
        longitudes.push(value["/position/longitude-deg"]!);
      }
    // every frame of the last seconds, once; the first may be that of the state before
    expect(longitudes.at(-1)).toBeCloseTo(8 + (109 + 19 / 20) / 100, 9);
    const steps = longitudes.slice(1).map((longitude, i) => Math.round((longitude - longitudes[i]!) * 2000));
    expect(steps.every((step) => step === 1)).toBe(true);
    for (const at of [start, last]) {
      const { sets } = await recording.state(at);
      expect(sets.get("aircraft")!.ids).toContain("PILOT");
    }
    expect(recording.info.metadata["aircraft"]).toBe("ufo");
    expect((await end()).lost).toEqual([]);
  });
});

const DESCRIPTION: Omit<Channel, "id"> = { topic: "/a", encoding: "json", schemaName: "A", schema: "{}" };

describe("the last seconds of Foxglove", () => {
  test("have what was said once before, of each schema of a topic its own", async () => {
    const server = new FoxgloveServer({ name: "robot", capabilities: [] });
    const listener = new WebSocketServer({
      ...{ port: 0, host: "127.0.0.1" },
      handleProtocols: (offered) => server.handleProtocols(offered),
    });
    listener.on("connection", (socket) => server.handleConnection(socket as never, ""));
    closing.push(() => new Promise((resolve) => listener.close(resolve)));
    await new Promise((resolve) => listener.once("listening", resolve));
    const wanted = new Set<number>();
    server.on("subscribe", (id) => wanted.add(id));
    const address = `ws://127.0.0.1:${(listener.address() as { port: number }).port}`;
    const json = (value: object): Uint8Array<ArrayBuffer> => new TextEncoder().encode(JSON.stringify(value));
    const first = server.addChannel({ ...DESCRIPTION, topic: "/same", schema: '{"title":"one"}' });
    const second = server.addChannel({ ...DESCRIPTION, topic: "/same", schema: '{"title":"two"}' });
    const often = server.addChannel(DESCRIPTION);
    const { ring, end } = keeping(
      foxgloveFeed(address, (signal) => connectLink(address, { signal, protocols: PROTOCOLS })),
    );
    await expect.poll(() => wanted.size).toBe(3);
    const base = 1_600_000_000_000_000_000n;
    server.sendMessage(first, base, json({ n: 1 }));
    server.sendMessage(second, base, json({ n: 2 }));
    for (let i = 0; i < 200; i++) {
      server.sendMessage(often, base + BigInt(i) * 50_000_000n, json({ i }));
      if (i % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await expect.poll(() => ring.start).toBeGreaterThan(7e9);
    const to = await saved(ring, "clip.mcap");
    const { messages, channels, schemaRecords } = await streamed(to.bytes);
    const titles = messages
      .filter(({ topic }) => topic === "/same")
      .map(({ data, schema, logTime }) => [new TextDecoder().decode(data), schema, logTime >= base + 7_000_000_000n]);
    expect(titles).toEqual([
      ['{"n":1}', "A", true],
      ['{"n":2}', "A", true],
    ]);
    const schemasOfSame = channels
      .filter(({ topic }) => topic === "/same")
      .map(({ schemaId }) => new TextDecoder().decode(schemaRecords.find(({ id }) => id === schemaId)!.data));
    expect(schemasOfSame.sort()).toEqual(['{"title":"one"}', '{"title":"two"}']);
    const numbers = messages.filter(({ topic }) => topic === "/a").map(({ logTime }) => logTime);
    expect(numbers.at(-1)).toBe(base + 199n * 50_000_000n);
    expect(numbers.length).toBeLessThan(70);
    expect(numbers.length).toBeGreaterThan(29);
    expect((await end()).lost).toEqual([]);
    await using recording = await open(filesBundle(to.files, to.name), { formats: [mcap] });
    expect((await check(recording)).findings.filter(({ severity }) => severity === "damage")).toEqual([]);
  });
});
