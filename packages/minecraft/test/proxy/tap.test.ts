import protocol from "minecraft-protocol";
import { describe, expect, test } from "vitest";
import { deflateSync } from "node:zlib";
import { frame } from "../../src/game/framing.ts";
import { OWN_PACKETS } from "../../src/proxy/own-moves.ts";
import { Tap } from "../../src/proxy/tap.ts";

const UUID = "069a79f4-44e9-4726-a5be-fca90e38aaf5";

/** What a client and a server of a version say, with the library's own encoding. */
class Talk {
  readonly seen: unknown[] = [];
  readonly tap = new Tap(OWN_PACKETS, {
    login: (uuid, name, version) => this.seen.push([uuid, name, version]),
    packet: (direction, { name, params }) => {
      this.seen.push([direction, name, params.x]);
      return false;
    },
  });
  readonly #version: string;
  isCompressed = false;

  constructor(version: string) {
    this.#version = version;
  }

  /** In pieces of one byte. */
  say(state: string, direction: "toServer" | "toClient", name: string, params: object): void {
    const options = { state: state as protocol.States, isServer: direction === "toClient", version: this.#version };
    const serializer = protocol.createSerializer({ ...options, customPackets: {} });
    this.send(direction, serializer.createPacketBuffer({ name, params }) as Buffer);
  }

  send(direction: "toServer" | "toClient", packet: Buffer): void {
    const body = this.isCompressed ? Buffer.concat([size(packet.length), deflateSync(packet)]) : packet;
    for (const byte of Buffer.concat([size(body.length), body])) this.tap.see(direction, Buffer.of(byte));
  }

  logIn(protocolVersion: number): void {
    const where = { serverHost: "localhost", serverPort: 25565, nextState: 2 };
    this.say("handshaking", "toServer", "set_protocol", { protocolVersion, ...where });
    this.say("login", "toClient", "compress", { threshold: 0 });
    this.isCompressed = true;
    this.say("login", "toClient", "success", { uuid: UUID, username: "one", properties: [] });
  }
}

/** A length, of at most two bytes here. */
function size(value: number): Buffer {
  return value < 0x80 ? Buffer.of(value) : Buffer.of((value & 0x7f) | 0x80, value >> 7);
}

describe("a tap", () => {
  test("follows states and compression, whatever the pieces", () => {
    const talk = new Talk("1.21.4");
    talk.logIn(769);
    talk.say("login", "toServer", "login_acknowledged", {});
    talk.say("configuration", "toClient", "finish_configuration", {});
    talk.say("configuration", "toServer", "finish_configuration", {});
    const place = { y: 0, z: 0, flags: { onGround: true, hasHorizontalCollision: false } };
    talk.say("play", "toServer", "position", { x: 1.25, ...place });
    talk.say("play", "toClient", "start_configuration", {});
    talk.say("play", "toServer", "configuration_acknowledged", {});
    talk.say("configuration", "toServer", "finish_configuration", {});
    talk.say("play", "toServer", "position", { x: 2.5, ...place });
    expect([talk.tap.blind, talk.tap.faults]).toEqual([null, 0]);
    expect(talk.seen).toEqual([
      [UUID, "one", "1.21.4"],
      ["toServer", "position", 1.25],
      ["toServer", "position", 2.5],
    ]);
  });

  test("counts a packet that does not decode, and goes on", () => {
    const talk = new Talk("1.16.5");
    talk.logIn(754);
    talk.send("toServer", Buffer.of(0x12, 1, 2, 3));
    talk.say("play", "toServer", "position", { x: 1.25, y: 0, z: 0, onGround: true });
    expect([talk.tap.blind, talk.tap.faults]).toEqual([null, 1]);
    expect(talk.seen.at(-1)).toEqual(["toServer", "position", 1.25]);
  });

  test("stops looking at what is encrypted, unknown, or no packet", () => {
    const encrypted = new Talk("1.16.5");
    const where = { serverHost: "localhost", serverPort: 25565, nextState: 2 };
    encrypted.say("handshaking", "toServer", "set_protocol", { protocolVersion: 754, ...where });
    const key = { serverId: "", publicKey: Buffer.alloc(4), verifyToken: Buffer.alloc(4) };
    encrypted.say("login", "toClient", "encryption_begin", key);
    expect(encrypted.tap.blind).toContain("online mode");

    const unknown = new Talk("1.16.5");
    unknown.say("handshaking", "toServer", "set_protocol", { protocolVersion: 999_999, ...where });
    expect(unknown.tap.blind).toContain("999999");

    const broken = new Talk("1.16.5");
    broken.logIn(754);
    broken.tap.see("toServer", frame(5, Buffer.of(9, 9, 9)));
    expect(broken.tap.blind).toContain("inflate");
  });
});
