import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A TCP proxy of this machine whose connections fail on demand. */
export class FaultProxy {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [client: Socket, source: Socket]>();
  /** Where new connections go to. */
  target: number;
  /** Bytes from the source after which a new connection is destroyed. */
  cutsAfter: number = Number.POSITIVE_INFINITY;
  /** Bytes that pass in each direction in 10 ms, of new connections. */
  pace: number = Number.POSITIVE_INFINITY;
  /** Bytes from the source so far, of all connections. */
  passed = 0;
  /** New connections are accepted, and nothing passes. */
  isStalled = false;

  private constructor(server: Server, target: number) {
    this.#server = server;
    this.target = target;
  }

  static async start(target: number): Promise<FaultProxy> {
    const server = createServer();
    const proxy = new FaultProxy(server, target);
    server.on("connection", (client) => proxy.#arrived(client));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Nothing passes any more on the connections that stand; they stay open. */
  stall(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.removeAllListeners("data").pause();
  }

  /** Destroys the connections that stand. */
  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  /** Sends bytes to the clients that the source has not sent. */
  inject(bytes: Uint8Array): void {
    for (const [client] of this.#pairs) client.write(bytes);
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #arrived(client: Socket): void {
    const source = connect(this.target, "127.0.0.1");
    const pair = [client, source] as const;
    this.#pairs.add(pair);
    const { cutsAfter, pace, isStalled } = this;
    for (const socket of pair) {
      socket.on("error", () => undefined);
      socket.on("close", () => {
        this.#pairs.delete(pair);
        for (const other of pair) other.destroy();
      });
    }
    if (isStalled) return;
    let passed = 0;
    this.#forward(client, source, pace, () => true);
    this.#forward(source, client, pace, (bytes) => {
      passed += bytes.length;
      this.passed += bytes.length;
      if (passed <= cutsAfter) return true;
      client.write(bytes.subarray(0, bytes.length - (passed - cutsAfter)), () => client.destroy());
      return false;
    });
  }

  #forward(from: Socket, to: Socket, pace: number, passes: (bytes: Buffer) => boolean): void {
    from.on("data", (bytes: Buffer) => {
      if (!passes(bytes)) return;
      if (bytes.length <= pace) to.write(bytes);
      else this.#slowly(from, to, bytes, pace);
    });
  }

  #slowly(from: Socket, to: Socket, bytes: Buffer, pace: number): void {
    from.pause();
    let at = 0;
    const timer = setInterval(() => {
      to.write(bytes.subarray(at, at + pace));
      at += pace;
      if (at < bytes.length && !to.destroyed) return;
      clearInterval(timer);
      from.resume();
    }, 10);
  }
}
