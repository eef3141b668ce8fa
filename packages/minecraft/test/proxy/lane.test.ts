import protocol from "minecraft-protocol";
import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { framed, Splitter } from "../../src/game/framing.ts";
import type { Direction } from "../../src/proxy/decoder.ts";
import { Lane } from "../../src/proxy/lane.ts";
import { Tap } from "../../src/proxy/tap.ts";

const UUID = "069a79f4-44e9-4726-a5be-fca90e38aaf5";
/** Bytes above which packets are compressed. */
const THRESHOLD = 64;

function encoded(state: string, direction: Direction, name: string, params: object): Buffer {
  const isServer = direction === "toClient";
  const options = { state: state as protocol.States, isServer, version: "1.16.5", customPackets: {} };
  return protocol.createSerializer(options).createPacketBuffer({ name, params }) as Buffer;
}

/** A connection in the game, and what comes out of one of its lanes. */
class Talk {
  readonly out: Buffer[] = [];
  readonly lane: Lane;
  readonly tap = new Tap(
    { toServer: ["chat"], toClient: [] },
    { login: () => undefined, packet: (_, { params }) => String(params.message).startsWith("/ghost") },
  );

  constructor(direction: Direction) {
    const where = { serverHost: "localhost", serverPort: 25565, nextState: 2 };
    const hello = encoded("handshaking", "toServer", "set_protocol", { protocolVersion: 754, ...where });
    this.tap.see("toServer", framed(hello, -1));
    this.tap.see("toClient", framed(encoded("login", "toClient", "compress", { threshold: THRESHOLD }), -1));
    const success = encoded("login", "toClient", "success", { uuid: UUID, username: "one" });
    this.tap.see("toClient", framed(success, THRESHOLD));
    this.lane = new Lane(direction, this.tap, () => undefined);
    this.lane.on("data", (bytes: Buffer) => this.out.push(bytes));
  }

  async end(): Promise<Buffer> {
    const ended = new Promise((resolve) => this.lane.once("end", resolve));
    this.lane.end();
    await ended;
    return Buffer.concat(this.out);
  }
}

const chat = (message: string): Buffer => framed(encoded("play", "toServer", "chat", { message }), THRESHOLD);
const cutsOf = (bytes: Buffer, cuts: readonly number[]): Buffer[] => {
  const at = [...new Set([0, ...cuts.map((cut) => cut % bytes.length), bytes.length])].sort((a, b) => a - b);
  return at.slice(1).map((end, i) => bytes.subarray(at[i]!, end));
};

function packetsIn(bytes: Buffer): string[] {
  const splitter = new Splitter();
  splitter.threshold = THRESHOLD;
  splitter.push(bytes);
  const found: string[] = [];
  for (let next = splitter.next(1e6); next !== null; next = splitter.next(1e6)) found.push(next.toString("hex"));
  expect(splitter.held).toBe(0);
  return found;
}

const message = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ maxLength: 20 }).map((rest) => `/ghost ${rest}`),
  fc.string({ minLength: 60, maxLength: 250 }),
);
const cuts = fc.array(fc.nat(), { maxLength: 30 });

describe("a lane", () => {
  test("holds back what is for the proxy, and passes all else byte for byte, whatever the pieces", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 8 }), cuts, async (messages, where) => {
        const talk = new Talk("toServer");
        for (const piece of cutsOf(Buffer.concat(messages.map(chat)), where)) talk.lane.write(piece);
        const left = messages.filter((one) => !one.startsWith("/ghost"));
        expect((await talk.end()).equals(Buffer.concat(left.map(chat)))).toBe(true);
        expect([talk.tap.blind, talk.tap.faults]).toEqual([null, 0]);
      }),
      { numRuns: 200 },
    );
  });

  test("puts packets of its own between whole ones, and changes no other byte", async () => {
    const own = (i: number): Buffer => Buffer.of(0x7f, i, ...new Array<number>(i % 2 === 0 ? 3 : 100).fill(i));
    const other = fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => Buffer.of(0x70, ...bytes));
    await fc.assert(
      fc.asyncProperty(fc.array(other, { minLength: 1, maxLength: 8 }), cuts, async (others, where) => {
        const talk = new Talk("toClient");
        const pieces = cutsOf(Buffer.concat(others.map((packet) => framed(packet, THRESHOLD))), where);
        for (const [i, piece] of pieces.entries()) {
          expect(talk.lane.inject(talk.tap.framed([own(i)]))).toBe(true);
          talk.lane.write(piece);
        }
        const found = packetsIn(await talk.end());
        expect(found.filter((packet) => packet.startsWith("70"))).toEqual(
          others.map((packet) => packet.toString("hex")),
        );
        expect(found.filter((packet) => packet.startsWith("7f"))).toEqual(pieces.map((_, i) => own(i).toString("hex")));
      }),
      { numRuns: 200 },
    );
  });

  test("has no packets of its own among bytes that it does not understand", async () => {
    const talk = new Talk("toClient");
    const bytes = Buffer.alloc(100, 0xff);
    talk.lane.write(Buffer.of(9, 0));
    expect(talk.lane.inject(Buffer.of(1, 2))).toBe(true);
    talk.lane.write(bytes);
    expect(talk.tap.blind).not.toBeNull();
    expect(talk.lane.inject(Buffer.of(1, 2))).toBe(false);
    expect((await talk.end()).equals(Buffer.concat([Buffer.of(9, 0), bytes]))).toBe(true);
  });
});
