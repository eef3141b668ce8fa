import { createSocket, type Socket } from "node:dgram";
import type { Datagrams } from "../source/datagrams.ts";
import { SourceError } from "../source/source.ts";

/** Bytes that the system keeps while the program is busy: some hundred packets of a simulator. */
const BUFFER = 4 << 20;

/** Opens a UDP socket; port 0 is any free one. Rejects with `SourceError` if the port cannot be had. */
export function openDatagrams(host = "127.0.0.1", port = 0): Promise<Datagrams> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(host.includes(":") ? "udp6" : "udp4");
    socket.once("error", (cause: NodeJS.ErrnoException) => {
      const why = cause.code === "EADDRINUSE" ? "another program listens there" : cause.message;
      reject(new SourceError("failed", `cannot listen at ${host}:${port}: ${why}`, { cause }));
    });
    socket.bind(port, host, () => {
      // a system that gives less room than asked may lose packets, and that is all
      try {
        socket.setRecvBufferSize(BUFFER);
      } catch {
        // it keeps its own
      }
      resolve(new UdpSocket(socket));
    });
  });
}

class UdpSocket implements Datagrams {
  readonly port: number;
  onMessage: (bytes: Uint8Array) => void = () => undefined;
  readonly #socket: Socket;
  #isOpen = true;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.port = socket.address().port;
    socket.on("message", (data) => this.onMessage(new Uint8Array(data.buffer, data.byteOffset, data.byteLength)));
    // a datagram that cannot be delivered is lost, as any other may be
    socket.on("error", () => undefined);
  }

  send(bytes: Uint8Array, host: string, port: number): void {
    if (this.#isOpen) this.#socket.send(bytes, port, host);
  }

  close(): Promise<void> {
    if (!this.#isOpen) return Promise.resolve();
    this.#isOpen = false;
    return new Promise((closed) => this.#socket.close(() => closed()));
  }
}
