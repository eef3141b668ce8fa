import type { WebSocket } from "ws";
import type { Person } from "../people/person.ts";

/** A sender of lines over one connection. */
export interface Sender {
  readonly person: Person;
  /** Bad lines are skipped and counted. */
  readonly isLenient: boolean;
  /** Reads the next piece when it is asked for. Ends with the connection, for whatever reason the connection ends. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Ends the connection: nothing more is read from it. */
  stop(): void;
}

const NEW_LINE = Uint8Array.of(0x0a);

/** Yields the pieces of a body until the body ends, its connection breaks, or `stop` is called. */
export function bodyOf(body: AsyncIterable<Uint8Array> & { destroy(): unknown }): Pick<Sender, "bytes" | "stop"> {
  let isStopped = false;
  let end = (): void => undefined;
  async function* bytes(): AsyncGenerator<Uint8Array> {
    const pieces = body[Symbol.asyncIterator]();
    while (!isStopped) {
      // make a promise for each piece: one promise for all pieces would keep every piece in memory
      const piece = await new Promise<IteratorResult<Uint8Array> | null>((resolve) => {
        end = () => resolve(null);
        // a broken connection counts as the end
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

/** Each message holds one or more lines; no more messages are read while one is being recorded. */
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
