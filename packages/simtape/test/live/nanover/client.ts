import { decode, encode } from "@msgpack/msgpack";
import { WebSocket } from "ws";

export type Plain = null | boolean | number | string | Uint8Array | Plain[] | { [key: string]: Plain };
export type PlainMap = { [key: string]: Plain };

/** A client of NanoVer's current protocol that shares no code with what is tested. */
export class TestClient {
  readonly messages: PlainMap[] = [];
  readonly socket: WebSocket;
  /** Merged as a client that honours index 0 does. */
  frame: PlainMap = {};
  /** Merged as a client that does not. */
  merged: PlainMap = {};
  shared: PlainMap = {};
  bytes = 0;
  /** Whether messages are kept, and not only merged. */
  keeps = true;
  /** Whether messages are read at all, and not only counted. */
  reads = true;
  #id = 0;
  #arrived: (() => void)[] = [];

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data: Buffer) => this.#take(data));
  }

  static connect(address: string): Promise<TestClient> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(address);
      const client = new TestClient(socket);
      socket.once("open", () => resolve(client));
      socket.once("error", reject);
    });
  }

  send(message: unknown): void {
    this.socket.send(encode(message));
  }

  /** What the server answers. */
  async ask(name: string, given: PlainMap = {}, isList = false): Promise<PlainMap> {
    const id = ++this.#id;
    const item = { request: { id, name, arguments: given } };
    this.send({ command: isList ? [item] : item });
    const answers = (): PlainMap | undefined =>
      this.messages
        .flatMap(({ command }) =>
          command === undefined ? [] : ((Array.isArray(command) ? command : [command]) as PlainMap[]),
        )
        .find(
          (answer) =>
            (answer["request"] as PlainMap | undefined)?.["id"] === id &&
            ("response" in answer || "exception" in answer),
        );
    await this.until(() => answers() !== undefined);
    return answers()!;
  }

  async until(isThere: () => boolean): Promise<void> {
    while (!isThere()) {
      if (this.socket.readyState === WebSocket.CLOSED) throw new Error("closed");
      await new Promise<void>((resolve) => this.#arrived.push(resolve));
    }
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.socket.once("close", () => resolve());
      this.socket.close();
    });
  }

  #take(data: Buffer): void {
    this.bytes += data.length;
    if (!this.reads) return;
    const message = decode(data) as PlainMap;
    if (this.keeps) this.messages.push(message);
    const frame = message["frame"] as PlainMap | undefined;
    if (frame !== undefined) {
      if (frame["frame.index"] === 0) this.frame = {};
      Object.assign(this.frame, frame);
      Object.assign(this.merged, frame);
    }
    const state = message["state"] as { updates: PlainMap; removals: string[] } | undefined;
    if (state !== undefined) {
      Object.assign(this.shared, state.updates);
      for (const key of state.removals) delete this.shared[key];
    }
    const waiting = this.#arrived;
    this.#arrived = [];
    for (const resolve of waiting) resolve();
  }
}
