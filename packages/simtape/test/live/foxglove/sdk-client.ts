import { WebSocket } from "ws";

/** A channel as the server advertises it. */
export interface SdkChannel {
  readonly id: number;
  readonly topic: string;
  readonly encoding: string;
  readonly schemaName: string;
  readonly schema: string;
  readonly schemaEncoding?: string;
}

export interface SdkMessage {
  readonly topic: string;
  readonly time: bigint;
  readonly data: Buffer;
}

export interface SdkPlayback {
  readonly status: number;
  readonly time: bigint;
  readonly speed: number;
  readonly didSeek: boolean;
  readonly request: string;
  /** Messages that had arrived by then. */
  readonly behind: number;
}

/** A small client of `foxglove.sdk.v1`, written from the specification alone: it shares no code with the server. */
export class SdkClient {
  readonly socket: WebSocket;
  readonly texts: Record<string, unknown>[] = [];
  readonly messages: SdkMessage[] = [];
  readonly times: bigint[] = [];
  readonly playbacks: SdkPlayback[] = [];
  readonly assets: Buffer[] = [];
  readonly channels: Map<number, SdkChannel> = new Map();
  readonly #subscriptions = new Map<number, SdkChannel>();
  readonly #waiting = new Set<() => void>();
  #next = 100;
  closed: number | null = null;

  constructor(address: string, protocols: string[] = ["foxglove.sdk.v1"]) {
    this.socket = new WebSocket(address, protocols, { maxPayload: 0 });
    this.socket.on("message", (data: Buffer, isBinary) => {
      if (isBinary) this.#binary(data);
      else this.#text(JSON.parse(data.toString()) as Record<string, unknown>);
      for (const look of [...this.#waiting]) look();
    });
    this.socket.on("close", (code) => {
      this.closed = code;
      for (const look of [...this.#waiting]) look();
    });
    this.socket.on("error", () => undefined);
  }

  get info(): Record<string, unknown> | undefined {
    return this.texts.findLast(({ op }) => op === "serverInfo");
  }

  /** Settles when it holds. */
  until<T>(what: () => T | null | undefined | false): Promise<T> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = what();
        if (found === null || found === undefined || found === false) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  send(message: unknown): void {
    this.socket.send(JSON.stringify(message));
  }

  /** Subscribes to topics; absent: to all that are advertised, also later. */
  subscribe(wants: (topic: string) => boolean = () => true): void {
    const subscriptions: { id: number; channelId: number }[] = [];
    const have = new Set([...this.#subscriptions.values()].map(({ id }) => id));
    for (const channel of this.channels.values()) {
      if (have.has(channel.id) || !wants(channel.topic)) continue;
      const id = this.#next++;
      this.#subscriptions.set(id, channel);
      subscriptions.push({ id, channelId: channel.id });
    }
    if (subscriptions.length > 0) this.send({ op: "subscribe", subscriptions });
  }

  /** Subscribes to everything now and later. */
  subscribeAll(): void {
    this.#isAll = true;
    this.subscribe();
  }
  #isAll = false;

  control(command: "play" | "pause", speed: number, seek: bigint | null, request: string): void {
    const id = Buffer.from(request);
    const bytes = Buffer.alloc(19 + id.length);
    bytes[0] = 3;
    bytes[1] = command === "play" ? 0 : 1;
    bytes.writeFloatLE(speed, 2);
    bytes[6] = seek === null ? 0 : 1;
    bytes.writeBigUInt64LE(seek ?? 0n, 7);
    bytes.writeUInt32LE(id.length, 15);
    id.copy(bytes, 19);
    this.socket.send(bytes);
  }

  /** Everything sent so far was taken by the server. */
  async answered(): Promise<void> {
    const id = `answered ${this.#next++}`;
    this.send({ op: "getParameters", parameterNames: ["none"], id });
    await this.until(() => this.texts.some((text) => text["op"] === "parameterValues" && text["id"] === id));
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      if (this.socket.readyState === WebSocket.CLOSED) return resolve();
      this.socket.once("close", () => resolve());
      this.socket.terminate();
    });
  }

  #text(json: Record<string, unknown>): void {
    this.texts.push(json);
    if (json["op"] === "advertise") {
      for (const channel of json["channels"] as SdkChannel[]) this.channels.set(channel.id, channel);
      if (this.#isAll) this.subscribe();
    }
    if (json["op"] === "unadvertise") {
      for (const id of json["channelIds"] as number[]) this.channels.delete(id);
      for (const [id, channel] of [...this.#subscriptions])
        if (!this.channels.has(channel.id)) this.#subscriptions.delete(id);
    }
  }

  #binary(data: Buffer): void {
    switch (data[0]) {
      case 1: {
        const channel = this.#subscriptions.get(data.readUInt32LE(1));
        if (channel === undefined) throw new Error(`a message of the subscription ${data.readUInt32LE(1)}`);
        this.messages.push({ topic: channel.topic, time: data.readBigUInt64LE(5), data: data.subarray(13) });
        return;
      }
      case 2:
        this.times.push(data.readBigUInt64LE(1));
        return;
      case 4:
        this.assets.push(data);
        return;
      case 5: {
        const length = data.readUInt32LE(15);
        this.playbacks.push({
          status: data[1]!,
          time: data.readBigUInt64LE(2),
          speed: data.readFloatLE(10),
          didSeek: data[14] !== 0,
          behind: this.messages.length,
          request: data.subarray(19, 19 + length).toString(),
        });
        return;
      }
      default:
        throw new Error(`a message with the opcode ${data[0]}`);
    }
  }
}
