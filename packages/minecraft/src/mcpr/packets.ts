import { createDeserializer } from "../game/protocol.ts";
import { GameData } from "../game/data.ts";
import { unreadable } from "./error.ts";

/** The longest packet of the protocol: three bytes of a VarInt say its length. */
const LONGEST = 2 ** 21 - 1;
const HEAD = 8;
/** Most milliseconds between two packets: a day. */
const FARTHEST = 86_400_000;
/** The packet that ends the state before `play`, and begins the next one. */
const NEXT: Readonly<Record<string, string>> = {
  success: "",
  finish_configuration: "play",
  start_configuration: "configuration",
};

/** A packet as the recording has it. */
export interface Recorded {
  /** Milliseconds since its start. */
  readonly at: number;
  /** Null: this version has no such packet. */
  readonly name: string | null;
  readonly state: string;
  readonly params: object;
}

type Parser = {
  parsePacketBuffer(bytes: Buffer): { readonly data: { readonly name: string; readonly params: object } };
};

/** Parses the bytes of `recording.tmcpr` as they arrive: i32 milliseconds, i32 length, packet, big-endian, repeated. */
export class Packets {
  readonly data: GameData;
  readonly #parsers = new Map<string, Parser>();
  #rest: Buffer = Buffer.alloc(0);
  #state = "login";
  #at = 0;
  /** Number of parsed bytes. */
  offset = 0;

  /** `version` of the game. */
  constructor(version: string) {
    this.data = GameData.of(version);
  }

  /** Returns the packets that are complete now. Throws `RecordingError` where the file cannot be parsed any further. */
  *push(bytes: Uint8Array): Generator<Recorded> {
    const all = this.#rest.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#rest, bytes]);
    let at = 0;
    while (all.length - at >= HEAD) {
      const [time, length] = [all.readInt32BE(at), all.readInt32BE(at + 4)];
      if (time < 0 || time - this.#at > FARTHEST || length < 1 || length > LONGEST)
        throw unreadable("malformed", `recording.tmcpr: byte ${this.offset}: no packet: ${time} ms, ${length} bytes`);
      if (all.length - at < HEAD + length) break;
      this.#at = Math.max(this.#at, time);
      yield this.#parse(this.#at, all.subarray(at + HEAD, at + HEAD + length));
      at += HEAD + length;
      this.offset += HEAD + length;
    }
    this.#rest = all.subarray(at);
  }

  /** Bytes after the last complete packet. */
  get left(): number {
    return this.#rest.length;
  }

  #parse(at: number, bytes: Buffer): Recorded {
    const state = this.#state;
    try {
      const { name, params } = this.#parserOf(state).parsePacketBuffer(bytes).data;
      const next = NEXT[name];
      if (next !== undefined && !(name === "success" && state !== "login"))
        this.#state =
          next === "" ? (this.data.raw.supportFeature("hasConfigurationState") ? "configuration" : "play") : next;
      return { at, state, name, params };
    } catch {
      // Some files begin with the state `play` at once.
      if (state === "login" && this.offset === 0) {
        this.#state = "play";
        return this.#parse(at, bytes);
      }
      return { at, state, name: null, params: {} };
    }
  }

  #parserOf(state: string): Parser {
    let parser = this.#parsers.get(state);
    if (parser === undefined) {
      const options = { state: state as never, isServer: false, version: this.data.version, customPackets: {} };
      parser = createDeserializer(options) as unknown as Parser;
      (parser as { noErrorLogging?: boolean }).noErrorLogging = true;
      this.#parsers.set(state, parser);
    }
    return parser;
  }
}
