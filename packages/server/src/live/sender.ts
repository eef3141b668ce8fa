import type { WebSocket } from "ws";
import type { Person } from "../people/person.ts";

/** Who sends lines over one connection. */
export interface Sender {
  readonly person: Person;
  /** Bad lines are skipped and counted. */
  readonly isLenient: boolean;
  /** The next piece is read when it is asked for. Ends with the connection, however that ends. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Ends the connection: it is not read any more. */
  stop(): void;
}

const NEW_LINE = Uint8Array.of(0x0a);

/** What a body has, until it is over, its connection breaks, or `stop` is called. */
export function bodyOf(body: AsyncIterable<Uint8Array> & { destroy(): unknown }): Pick<Sender, "bytes" | "stop"> {
  let isStopped = false;
  let end = (): void => undefined;
  async function* bytes(): AsyncGenerator<Uint8Array> {
    const pieces = body[Symbol.asyncIterator]();
    while (!isStopped) {
      // a promise for each piece: one that was there for all of them would keep every piece
      const piece = await new Promise<IteratorResult<Uint8Array> | null>((resolve) => {
        end = () => resolve(null);
        // a connection that breaks is over
        pieces.next().then(resolve, end);
      });
      if (piece === null || piece.done === true) return;
      yield piece.value;
    }
  }
  return {
    bytes: bytes(),
    stop: () => {
      isStopped = true;
      end();
    },
  };
}

/** Each message is one line or several; no more are read while one is being taken. */
export function messagesOf(socket: WebSocket): Pick<Sender, "bytes" | "stop"> {
  const queue: Uint8Array[] = [];
  let wake = (): void => undefined;
  let isOver = false;
  const end = (): void => {
    isOver = true;
    wake();
  };
  socket.on("message", (data: Buffer) => {
    queue.push(data, NEW_LINE);
    socket.pause();
    wake();
  });
  socket.on("close", end);
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (;;) {
      for (let piece = queue.shift(); piece !== undefined; piece = queue.shift()) yield piece;
      if (isOver) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
        socket.resume();
      });
    }
  }
  return { bytes: bytes(), stop: end };
}
