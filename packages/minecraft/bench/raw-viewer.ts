import { connect, type Socket } from "node:net";
import { frame, Splitter, textBytes, varInt } from "../src/game/framing.ts";

const PROTOCOL = [(754 & 0x7f) | 0x80, 754 >> 7];
/** Numbers of packets of 1.16.5. */
const LOGIN = { success: 2, compress: 3 } as const;
const KEEP_ALIVE = 0x1f;
const ANSWER = 0x10;
const CHAT = 0x03;
/** Moves and turns. */
const MOVES: ReadonlySet<number> = new Set([0x27, 0x28, 0x29, 0x56]);
/** Of the first player of a recording. */
const FIRST = 1_000_001;
const LONGEST = 1 << 20;

/** A client of 1.16.5 that only cuts what it gets into packets, so that twenty of them cost little. */
export class RawViewer {
  /** When each move of the first player came: milliseconds, and what it was. */
  readonly moves: { readonly at: number; readonly bytes: string }[] = [];
  packets = 0;
  readonly #socket: Socket;
  readonly #splitter = new Splitter();
  #isIn = false;

  /** `host`: what it says that it connects to. */
  constructor(port: number, name: string, host: string) {
    this.#socket = connect(port, "127.0.0.1");
    this.#socket.setNoDelay(true);
    const shake = Buffer.concat([Buffer.from(PROTOCOL), textBytes(host), Buffer.from([0, 80, 2])]);
    this.#socket.write(Buffer.concat([frame(0, shake), frame(0, textBytes(name))]));
    this.#socket.on("data", (bytes: Buffer) => {
      const at = performance.now();
      this.#splitter.push(bytes);
      for (let packet = this.#splitter.next(LONGEST); packet !== null; packet = this.#splitter.next(LONGEST))
        this.#hear(packet, at);
    });
    this.#socket.on("error", () => undefined);
  }

  say(text: string): void {
    this.#send(CHAT, textBytes(text));
  }

  close(): void {
    this.#socket.destroy();
  }

  #hear(packet: Buffer, at: number): void {
    this.packets++;
    const { value: id, end } = varInt(packet, 0)!;
    const body = packet.subarray(end);
    if (!this.#isIn) {
      if (id === LOGIN.compress) this.#splitter.threshold = varInt(body, 0)!.value;
      if (id === LOGIN.success) this.#isIn = true;
    } else if (id === KEEP_ALIVE) this.#send(ANSWER, body);
    else if (MOVES.has(id) && varInt(body, 0)?.value === FIRST)
      this.moves.push({ at, bytes: packet.toString("base64") });
  }

  #send(id: number, body: Buffer): void {
    const plain = frame(id, body);
    // behind the length stands that it is not compressed
    this.#socket.write(Buffer.concat([Buffer.from([plain[0]! + 1, 0]), plain.subarray(1)]));
  }
}
