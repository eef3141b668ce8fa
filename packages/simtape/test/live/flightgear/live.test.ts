import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type PropertyNode, propertyNode } from "../../../src/codec/properties.ts";
import { flightgear } from "../../../src/formats/flightgear/format.ts";
import { writeSignalList } from "../../../src/formats/flightgear/layout/signals.ts";
import { filesBundle } from "../../../src/io/bundle.ts";
import { openDatagrams } from "../../../src/io/node/datagrams.ts";
import { memory } from "../../../src/io/memory.ts";
import { MemoryFiles } from "../../../src/io/sink.ts";
import { SourceError } from "../../../src/io/source.ts";
import { flightgearFeed } from "../../../src/live/flightgear/feed.ts";
import { fromWire, toWire } from "../../../src/live/flightgear/pilots.ts";
import { Traffic } from "../../../src/live/flightgear/traffic.ts";
import { finishTake } from "../../../src/live/finish.ts";
import { JournalReader } from "../../../src/live/journal.ts";
import { recordTake } from "../../../src/live/take.ts";
import { unsetOrigin } from "../../../src/model/geodesy.ts";
import { openBundle } from "../../../src/model/open.ts";
import { readPacket } from "../../../src/formats/flightgear/layout/packet.ts";
import { ByteCursor } from "../../../src/bytes/cursor.ts";
import { openExample } from "../../support/example.ts";

/**
 * The web server and the generic protocol of a FlightGear, as `../shared/design/live-flightgear.md` has them. The real
 * program is recorded and driven by `npm run simulator:live`.
 */
class Stand {
  readonly #server: Server;
  readonly commands: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }[] = [];
  port = 0;
  /** Where the simulator sends packets to; 0: nowhere. */
  sendsTo = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<Stand> {
    const server = createServer();
    const stand = new Stand(server);
    const config = propertyNode("config", {
      children: writeSignalList("test", [
        { property: "/position/longitude-deg", type: "double", interpolation: "angular-deg" },
        { property: "/position/latitude-deg", type: "double", interpolation: "angular-deg" },
        { property: "/position/altitude-ft", type: "double", interpolation: "linear" },
        { property: "/gear/gear/wow", type: "bool", interpolation: "discrete" },
      ]),
    });
    const values: Readonly<Record<string, unknown>> = {
      "/json/sim/flight-recorder/replay-config": 0,
      "/json/sim/fg-root": "/usr/share/games/flightgear",
      "/json/sim/aircraft": "ufo",
      "/json/sim/version/flightgear": "2024.1.5",
    };
    server.on("request", (request, response) => {
      const { pathname } = new URL(request.url!, "http://x");
      if (request.method === "POST") {
        const pieces: Buffer[] = [];
        request.on("data", (piece: Buffer) => pieces.push(piece));
        request.on("end", () => {
          stand.#ran(request.url!, Buffer.concat(pieces).toString());
          response.end("ok.");
        });
        return;
      }
      if (pathname.startsWith("/json/sim/flight-recorder/config")) response.end(JSON.stringify(jsonOf(config)));
      else if (pathname in values) response.end(JSON.stringify({ value: values[pathname] }));
      else {
        response.statusCode = 404;
        response.end();
      }
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    stand.port = (server.address() as AddressInfo).port;
    return stand;
  }

  get address(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #ran(url: string, body: string): void {
    const name = new URL(url, "http://x").searchParams.get("value")!;
    const { children } = JSON.parse(body) as { children: { name: string; value: unknown }[] };
    const given = Object.fromEntries(children.map((child) => [child.name, child.value]));
    this.commands.push({ name, arguments: given });
    if (name === "add-io-channel") this.sendsTo = Number(String(given["config"]).split(",")[5]);
    if (name === "remove-io-channel") this.sendsTo = 0;
  }
}

function jsonOf({ name, index, type, value, children }: PropertyNode): unknown {
  return { name, index, type, ...(value === null ? {} : { value }), children: children.map(jsonOf) };
}

function packet(elapsed: number, isPaused: boolean, replay: number, longitude: number): Uint8Array {
  const bytes = new Uint8Array(13 + 24 + 1);
  const view = new DataView(bytes.buffer);
  view.setFloat64(0, elapsed);
  view.setUint8(8, isPaused ? 1 : 0);
  view.setInt32(9, replay);
  view.setFloat64(13, longitude);
  view.setFloat64(21, 47.5);
  view.setFloat64(29, 1400);
  view.setUint8(37, 1);
  return bytes;
}

describe("a FlightGear that is recorded", () => {
  let stand: Stand;
  beforeEach(async () => {
    stand = await Stand.start();
  });
  afterEach(() => stand.close());

  test("gives a tape of its signals: paused time and shown tapes are left out, other pilots are in", async () => {
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
    await using recording = await openBundle(filesBundle(out.files, "a.fgtape"), [flightgear]);
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

describe("a recording in FlightGear", () => {
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
    for (const [row, id] of aircraft.ids.entries()) {
      const [, , x, y, z] = heard.get(String(id))!;
      const off = Math.hypot(x! - earth[3 * row]!, y! - earth[3 * row + 1]!, z! - earth[3 * row + 2]!);
      expect(off).toBeLessThan(0.01);
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

/** A position packet of protocol 2 as the network has it (FlightGear spec §5.1, §5.2), made by hand. */
function wirePacket(): Uint8Array {
  const bytes = new Uint8Array(232);
  const view = new DataView(bytes.buffer);
  for (const [i, word] of [0x46474653, 0x00010001, 7, bytes.length, 100, 0].entries()) view.setUint32(4 * i, word);
  bytes.set(new TextEncoder().encode("PILOT"), 24);
  bytes.set(new TextEncoder().encode("Aircraft/ufo/Models/ufo.xml"), 32);
  view.setFloat64(128, 5);
  for (const [i, metres] of [4_270_000, 650_000, 4_680_000].entries()) view.setFloat64(144 + 8 * i, metres);
  view.setUint32(228, 0x1face002);
  return bytes;
}
