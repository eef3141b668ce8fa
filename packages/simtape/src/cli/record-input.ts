import { createReadStream } from "node:fs";
import { stat, unlink } from "node:fs/promises";
import { createServer as createHttpServer, type IncomingMessage, type Server as HttpServer } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import type { Readable } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { UsageError } from "./failure.ts";
import { say } from "./output.ts";

/** Somebody who sends lines. */
export interface Sender {
  /** For messages. */
  readonly name: string;
  /** What is sent, as it comes; the next piece is read when it is asked for. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** A line back, where there is a way. */
  answer(line: string): void;
  /** Ends the connection, behind what was answered. */
  close(): void;
}

/** Where lines come from. */
export interface Input {
  /** Whether another sender may come when one is gone. */
  readonly isServer: boolean;
  /** One after another; ends with the signal. */
  readonly senders: AsyncIterable<Sender>;
  close(): void;
}

/** Milliseconds that somebody has to take a last answer. */
const PATIENCE = 1000;
/** Bytes of one message of a WebSocket at most. */
const LONGEST_MESSAGE = 4 << 20;

/**
 * `-`, a file, or a place to listen at: `tcp://host:port`, `ws://host:port` (loopback when there is no host) and
 * `unix:path`. Throws `UsageError` for what is none of them.
 */
export async function inputOf(named: string, signal: AbortSignal): Promise<Input> {
  if (named === "-") return oneOf("standard input", process.stdin, signal);
  const unix = /^unix:(.+)$/.exec(named)?.[1];
  if (unix !== undefined) {
    await clearStale(unix);
    return serving(named, { path: unix }, acceptSocket, signal);
  }
  const [, scheme, bracketed, plain, port] = /^(tcp|ws):\/\/(?:\[([^\]]+)\]|([^:/]*)):(\d{1,5})\/?$/.exec(named) ?? [];
  if (scheme !== undefined) {
    if (Number(port) > 65_535) throw new UsageError(`no such port: ${named}`);
    const host = bracketed ?? (plain || "127.0.0.1");
    if (!isLoopback(host)) say(`simtape: whoever reaches ${named} can write into this recording`);
    return serving(named, { host, port: Number(port) }, scheme === "tcp" ? acceptSocket : acceptWebSocket, signal);
  }
  if (/^[a-z]+:\/\//i.test(named))
    throw new UsageError(`--input takes -, a file, tcp://host:port, ws://host:port or unix:path, not ${named}`);
  const found = await stat(named).catch(() => null);
  if (found === null || found.isDirectory()) throw new UsageError(`no such file: ${named}`);
  return oneOf(named, createReadStream(named), signal);
}

function oneOf(name: string, stream: Readable, signal: AbortSignal): Input {
  async function* senders(): AsyncGenerator<Sender> {
    yield { name, bytes: until(signal, stream), answer: nothing, close: nothing };
  }
  return { isServer: false, senders: senders(), close: () => stream.destroy() };
}

/** What a stream gives, until it is over or the signal comes. A connection that breaks is over. */
async function* until(signal: AbortSignal, stream: Readable): AsyncGenerator<Uint8Array> {
  const stop = (): unknown => stream.destroy();
  signal.addEventListener("abort", stop);
  try {
    // what is left of it may still be answered
    for await (const bytes of stream.iterator({ destroyOnReturn: false })) yield bytes as Uint8Array;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!signal.aborted && code !== "ECONNRESET" && code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

type Accept = (took: (sender: Sender) => void, isTaken: () => boolean, signal: AbortSignal) => Server | HttpServer;

/** Listens; one sender at a time, others are turned away with a line that says so. */
async function serving(
  named: string,
  where: { readonly path: string } | { readonly host: string; readonly port: number },
  accept: Accept,
  signal: AbortSignal,
): Promise<Input> {
  let waiting: ((sender: Sender | null) => void) | null = null;
  let next: Sender | null = null;
  let isBusy = false;
  const server = accept(
    (sender) => {
      isBusy = true;
      next = sender;
      waiting?.(sender);
    },
    () => isBusy,
    signal,
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(new UsageError(`cannot listen at ${named}: ${error.message}`)));
    server.listen(where, resolve);
  });
  const address = server.address();
  say(`simtape: listening at ${typeof address === "string" ? named : nameOf(named, address!)}`);
  const stop = (): void => waiting?.(null);
  signal.addEventListener("abort", stop);
  async function* senders(): AsyncGenerator<Sender> {
    while (!signal.aborted) {
      const sender: Sender | null =
        next ??
        (await new Promise((resolve) => {
          waiting = resolve;
        }));
      waiting = null;
      next = null;
      if (sender === null) return;
      yield sender;
      sender.close();
      isBusy = false;
    }
  }
  return {
    isServer: true,
    senders: senders(),
    close: () => {
      signal.removeEventListener("abort", stop);
      server.close();
    },
  };

  function nameOf(url: string, { address: host, family, port }: AddressInfo): string {
    return `${url.slice(0, url.indexOf("//") + 2)}${family === "IPv6" ? `[${host}]` : host}:${port}`;
  }
}

const BUSY = '{"error":"somebody else is sending"}';

const acceptSocket: Accept = (took, isTaken, signal) =>
  createServer({ allowHalfOpen: true }, (socket) => {
    // what goes wrong shows where the bytes are read
    socket.on("error", nothing);
    if (isTaken()) {
      socket.end(`${BUSY}\n`);
      return;
    }
    took({
      name: socket.remoteAddress ?? "a local process",
      bytes: until(signal, socket),
      answer: (line) => {
        if (socket.writable) socket.write(`${line}\n`);
      },
      close: () => leave(socket),
    });
  });

const acceptWebSocket: Accept = (took, isTaken, signal) => {
  const server = createHttpServer((_, response) => {
    response.writeHead(426, { "content-type": "text/plain" }).end("a WebSocket, please\n");
  });
  const sockets = new WebSocketServer({
    server,
    maxPayload: LONGEST_MESSAGE,
    perMessageDeflate: false,
    // a page of anybody's can connect to a port of this machine, but says where it comes from
    verifyClient: ({ req }: { req: IncomingMessage }) => isOwn(req.headers.origin),
  });
  sockets.on("error", nothing);
  sockets.on("connection", (socket, request) => {
    socket.on("error", nothing);
    if (isTaken()) {
      socket.send(BUSY);
      socket.close(1013);
      return;
    }
    took({
      name: request.socket.remoteAddress ?? "a WebSocket",
      bytes: messagesOf(socket, signal),
      answer: (line) => {
        if (socket.readyState === socket.OPEN) socket.send(line);
      },
      close: () => {
        socket.close();
        setTimeout(() => socket.terminate(), PATIENCE).unref();
      },
    });
  });
  return server;
};

/** Each message is one line or several; no more are read while one is being taken. */
async function* messagesOf(socket: WebSocket, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const queue: Uint8Array[] = [];
  let wake = nothing;
  let isOver = signal.aborted;
  const end = (): void => {
    isOver = true;
    wake();
  };
  signal.addEventListener("abort", end);
  socket.on("message", (data: Buffer) => {
    queue.push(data, NEW_LINE);
    socket.pause();
    wake();
  });
  socket.on("close", end);
  for (;;) {
    for (let bytes = queue.shift(); bytes !== undefined; bytes = queue.shift()) yield bytes;
    if (isOver) break;
    await new Promise<void>((resolve) => {
      wake = resolve;
      socket.resume();
    });
  }
  signal.removeEventListener("abort", end);
}

const NEW_LINE = Uint8Array.of(0x0a);

/** A socket file that nobody listens at any more is in the way. */
async function clearStale(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found === null) return;
  if (!found.isSocket()) throw new UsageError(`there is something already, and no socket: ${path}`);
  const isAlive = await new Promise<boolean>((resolve) => {
    const probe = connect(path, () => {
      probe.destroy();
      resolve(true);
    });
    probe.on("error", () => resolve(false));
  });
  if (isAlive) throw new UsageError(`somebody listens there already: ${path}`);
  await unlink(path);
}

function leave(socket: Socket): void {
  socket.end();
  socket.resume();
  setTimeout(() => socket.destroy(), PATIENCE).unref();
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** No page, or one of this machine. */
function isOwn(origin: string | undefined): boolean {
  if (origin === undefined) return true;
  try {
    return isLoopback(new URL(origin).hostname.replace(/^\[|\]$/g, ""));
  } catch {
    return false;
  }
}

function nothing(): void {
  // there is nobody to tell
}
