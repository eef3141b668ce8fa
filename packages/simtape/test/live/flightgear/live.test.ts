import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { flightgear } from "../../../src/formats/flightgear/format.ts";
import { readPacket } from "../../../src/formats/flightgear/layout/packet.ts";
import { filesBundle, memory, MemoryFiles, open, SourceError, unsetOrigin } from "../../../src/index.ts";
import { openDatagrams } from "../../../src/io/node/datagrams.ts";
import { ByteCursor } from "../../../src/kit.ts";
import { Deck } from "../../../src/live/deck.ts";
import { finishTake } from "../../../src/live/finish.ts";
import { flightgearFeed } from "../../../src/live/flightgear/feed.ts";
import { flightgearOutlet } from "../../../src/live/flightgear/outlet.ts";
import { fromWire, toWire } from "../../../src/live/flightgear/pilots.ts";
import { Traffic } from "../../../src/live/flightgear/traffic.ts";
import { JournalReader } from "../../../src/live/journal.ts";
import { recordTake } from "../../../src/live/take.ts";
import { openExample } from "../../support/example.ts";
import { FRAME, packet, Stand, wirePacket } from "./stand.ts";

describe("a FlightGear that is recorded", () => {
  let stand: Stand;
  beforeEach(async () => {
    stand = await Stand.start();
  });
  afterEach(() => stand.close());

  test("gives a tape of its signals: paused time, a stopped clock and shown tapes are left out, other pilots are in", async () => {
    const socket = await openDatagrams();
    const mp = await openDatagrams();
    const sender = await openDatagrams();
    const feed = flightgearFeed({
      ...{ address: stand.address, here: "127.0.0.1", rate: 20 },
      open: () => Promise.resolve(socket),
      pilots: () => Promise.resolve(mp),
      install: (text, folder) => {
        expect(text).toContain("/position/longitude-deg");
        expect(folder).toBe("/usr/share/games/flightgear");
        return Promise.resolve("../../../tmp/simtape");
      },
    });
    const files = new MemoryFiles("a.take");
    const stop = new AbortController();
    const taking = recordTake(feed, await files.open(), { signal: stop.signal, flushEvery: 50 });
    await expect.poll(() => stand.sendsTo).toBe(socket.port);
    const pilot = wirePacket();
    const sent: (readonly [elapsed: number, paused: boolean, replay: number, longitude: number])[] = [
      [10, false, 0, 8],
      [10.1, false, 0, 8.1],
      [10.2, true, 0, 8.1],
      [15, true, 0, 8.1],
      [15.1, false, 0, 8.2],
      [15.1, false, 0, 77],
      [15.2, false, 1, 99],
      [15.3, false, 0, 8.3],
    ];
    for (const [i, one] of sent.entries()) {
      if (i === 1) sender.send(pilot, "127.0.0.1", mp.port);
      await new Promise((resolve) => setTimeout(resolve, 30));
      sender.send(packet(...one), "127.0.0.1", socket.port);
    }
    sender.send(new Uint8Array(7), "127.0.0.1", socket.port);
    await new Promise((resolve) => setTimeout(resolve, 200));
    stop.abort();
    const report = await taking;
    expect(report.lost).toEqual([{ reason: "a packet of 7 bytes, not 38", count: 1 }]);
    expect(stand.commands.map(({ name }) => name)).toEqual(["add-io-channel", "remove-io-channel"]);
    await sender.close();

    const journal = await JournalReader.open(memory(files.bytes, "a.take"));
    const out = new MemoryFiles("a.fgtape");
    await finishTake(journal, flightgear, out);
    await journal.close();
    await using recording = await open(filesBundle(out.files, "a.fgtape"), { formats: [flightgear] });
    const times: number[] = [];
    const longitudes: unknown[] = [];
    let packets = 0;
    for await (const batch of recording.batches()) {
      for (let i = 0; i < batch.length; i++) {
        const channel = recording.channels[batch.channel[i]!]!;
        if (channel.name === "signals") {
          times.push(batch.time[i]!);
          const value = channel.schema.decode(batch.payload(i), batch.context) as Record<string, unknown>;
          longitudes.push(value["/position/longitude-deg"]);
        } else packets++;
      }
    }
    expect(longitudes).toEqual([8, 8.1, 8.2, 8.3]);
    // 15.1 is 0.1 s behind 10.1, and 15.3 is 0.1 s behind that
    expect(times.map((time) => Math.round((time - times[0]!) / 1e6))).toEqual([0, 100, 200, 300]);
    expect(packets).toBe(1);
    const state = await recording.state((await recording.timeline()).end);
    expect(state.sets.get("aircraft")!.ids).toContain("PILOT");
    expect(recording.info.metadata["aircraft"]).toBe("ufo");
  });

  test("that is not there is one clear error", async () => {
    const { address } = stand;
    await stand.close();
    const feed = flightgearFeed({
      ...{ address, here: "127.0.0.1", rate: 20, pilots: null },
      open: () => openDatagrams(),
      install: () => Promise.resolve("x"),
    });
    const taking = recordTake(feed, await new MemoryFiles("a.take").open());
    await expect(taking).rejects.toThrow(SourceError);
    await expect(taking).rejects.toThrow(/no FlightGear at .*--httpd/);
  });
});

/** Whether a UDP port of this machine is free. */
async function isFree(port: number): Promise<boolean> {
  const socket = await openDatagrams("127.0.0.1", port).catch(() => null);
  await socket?.close();
  return socket !== null;
}

describe("what has been opened is closed", () => {
  test("when the socket of the pilots cannot be had", async () => {
    const stand = await Stand.start();
    const socket = await openDatagrams();
    const taken = await openDatagrams();
    const feed = flightgearFeed({
      ...{ address: stand.address, here: "127.0.0.1", rate: 20 },
      open: () => Promise.resolve(socket),
      pilots: () => openDatagrams("127.0.0.1", taken.port),
      install: () => Promise.resolve("x"),
    });
    const taking = recordTake(feed, await new MemoryFiles("a.take").open());
    await expect(taking).rejects.toThrow(/another program listens there/);
    expect(await isFree(socket.port)).toBe(true);
    // it was never asked for a channel
    expect(stand.commands).toEqual([]);
    await taken.close();
    await stand.close();
  });

  test("when no FlightGear answers", async () => {
    const stand = await Stand.start();
    const { address } = stand;
    await stand.close();
    const socket = await openDatagrams();
    const deck = new Deck([{ name: "flight", open: () => openExample("flight.fgtape") }]);
    await deck.load(0);
    const target = { host: "127.0.0.1", port: 9 };
    const tapes = { folder: "/", to: () => new MemoryFiles("a.fgtape") };
    await expect(flightgearOutlet(deck, { address, tapes, traffic: { socket, target } })).rejects.toThrow(SourceError);
    expect(await isFree(socket.port)).toBe(true);
    await deck.close();
  });
});

describe("a recording in FlightGear", () => {
  test("is refused as pilots where FlightGear hears none", async () => {
    const stand = await Stand.start();
    // as with --multiplay=in alone
    stand.values.set("/sim/multiplay/online", false);
    const socket = await openDatagrams();
    const deck = new Deck([{ name: "flight", open: () => openExample("flight.fgtape") }]);
    await deck.load(0);
    const traffic = { socket, target: { host: "127.0.0.1", port: 9 } };
    const opening = flightgearOutlet(deck, { address: stand.address, tapes: null, traffic });
    await expect(opening).rejects.toThrow(/hears no other pilots: .*--multiplay=out/);
    expect(await isFree(socket.port)).toBe(true);
    await deck.close();
    await stand.close();
  });

  test("is played also where one was played before, which FlightGear ends in its next frame", async () => {
    const stand = await Stand.start();
    stand.values.set("/sim/replay/replay-state", 1);
    const deck = new Deck([{ name: "flight", open: () => openExample("flight.fgtape") }]);
    await deck.load(0);
    const tapes = { folder: "/", to: () => new MemoryFiles("a.fgtape") };
    const outlet = await flightgearOutlet(deck, { address: stand.address, tapes, traffic: null });
    await new Promise((resolve) => setTimeout(resolve, 2 * FRAME));
    expect(stand.values.get("/sim/replay/replay-state")).toBe(1);
    await outlet.close();
    expect(stand.values.get("/sim/replay/replay-state")).toBe(0);
    await deck.close();
    await stand.close();
  });

  test("says why it shows nothing more when FlightGear ends", async () => {
    const stand = await Stand.start();
    const deck = new Deck([{ name: "flight", open: () => openExample("flight.fgtape") }]);
    const { player } = await deck.load(0);
    const tapes = { folder: "/", to: () => new MemoryFiles("a.fgtape") };
    const outlet = await flightgearOutlet(deck, { address: stand.address, tapes, traffic: null });
    player.play();
    await expect.poll(() => outlet.status().sentMessages).toBeGreaterThan(3);
    expect(outlet.status().failure).toBeNull();
    await stand.close();
    await expect.poll(() => outlet.status().failure).toMatch(/no FlightGear at .*--httpd/);
    await outlet.close();
    await deck.close();
  });

  test("shows what has a place on the earth as pilots, whose packets say where it is", async () => {
    const socket = await openDatagrams();
    const simulator = await openDatagrams();
    const heard = new Map<string, Float64Array>();
    simulator.onMessage = (bytes) => {
      const { header, position } = readPacket(new ByteCursor(fromWire(bytes)));
      heard.set(new TextDecoder().decode(header!.callsign).replace(/\0.*$/s, ""), position!.doubles);
    };
    await using recording = await openExample("flight.fgtape");
    const { end } = await recording.timeline();
    const state = await recording.state(end / 2);
    const traffic = new Traffic(socket, { host: "127.0.0.1", port: simulator.port }, unsetOrigin(), null);
    traffic.show(state, end / 2, 1, 1e9);
    const aircraft = state.sets.get("aircraft")!;
    await expect.poll(() => heard.size).toBe(aircraft.ids.length);
    const earth = aircraft.columns.get("position")!.data as Float64Array;
    for (let row = 0; row < aircraft.ids.length; row++) {
      const off = [...heard.values()].map(([, , x, y, z]) =>
        Math.hypot(x! - earth[3 * row]!, y! - earth[3 * row + 1]!, z! - earth[3 * row + 2]!),
      );
      expect(Math.min(...off)).toBeLessThan(0.01);
    }
    // what stands is said again once a second, and no more
    traffic.show(state, end / 2, 0, 1.5e9);
    expect(traffic.packets).toBe(aircraft.ids.length);
    traffic.show(state, end / 2, 0, 2.1e9);
    expect(traffic.packets).toBe(2 * aircraft.ids.length);
    await socket.close();
    await simulator.close();
  });

  test("swaps the words of a packet's header there and back", () => {
    const wire = wirePacket();
    expect(toWire(fromWire(wire))).toEqual(wire);
    expect(() => toWire(new Uint8Array(40))).toThrow(RangeError);
    expect(fromWire(Uint8Array.of(1, 2, 3))).toEqual(Uint8Array.of(1, 2, 3));
  });
});
