import { createReadStream } from "node:fs";
import { stat, unlink } from "node:fs/promises";
import { createServer as createHttpServer, type IncomingMessage, type Server as HttpServer } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import type { Readable } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { UsageError } from "../../run/failure.ts";
import { say } from "../../run/terminal.ts";
import { BoundedLines } from "./bounded-lines.ts";
import { type DoorOptions, letIn } from "./record-door.ts";
import type { Sender } from "./sender.ts";

/** A place at which many send at once. */
export interface Door {
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

/** Milliseconds that a sender has to take a last answer. */
const CLOSE_TIMEOUT = 1000;
/** Connections that have sent no line yet, at once, for one sender and for many; with one more the first has to go. */
const MOST_WAITING = { one: 16, many: 512 } as const;
/** Refused ones that are named one by one. */
const MOST_LINES = 10;
/** Milliseconds after which a silent connection is asked whether it is still there. */
const ASKED_AFTER = 60_000;
/** Bytes of one message of a WebSocket at most. */
const LONGEST_MESSAGE = 4 << 20;

/** Who may send to a place that is listened at. */
export interface InputOptions extends DoorOptions {
  /** Origins of pages that may, as `https://example.org`, beside those of this machine. */
  readonly origins?: readonly string[] | undefined;
}

/**
 * `-`, a file, or a place to listen at: `tcp://host:port`, `ws://host:port` (loopback when there is no host) and
 * `unix:path`. Throws `UsageError` for what is none of them.
 */
export async function inputOf(named: string, signal: AbortSignal, options: InputOptions = {}): Promise<Input> {
  if (named === "-") return oneOf("standard input", process.stdin, signal);
  const place = await placeOf(named, options);
  if (place !== null) return serving(named, place, signal, options);
  if (/^[a-z]+:\/\//i.test(named))
    throw new UsageError(`--input takes -, a file, tcp://host:port, ws://host:port or unix:path, not ${named}`);
  const found = await stat(named).catch(() => null);
  if (found === null || found.isDirectory()) throw new UsageError(`no such file: ${named}`);
  return oneOf(named, createReadStream(named), signal);
}

/**
 * Listens for many senders at once; `came` gets each that was let in. Throws `UsageError` for what is no place to
 * listen at.
 */
export async function doorAt(
  named: string,
  signal: AbortSignal,
  options: InputOptions,
  came: (sender: Sender) => void,
): Promise<Door> {
  const place = await placeOf(named, options);
  if (place === null)
    throw new UsageError(`many senders need tcp://host:port, ws://host:port or unix:path, not ${named}`);
  return listening(named, place, signal, options, MOST_WAITING.many, () => null, came);
}

/** Where to listen, and for what. */
interface Place {
  readonly where: { readonly path: string } | { readonly host: string; readonly port: number };
  readonly accept: Accept;
}

/** Null: `named` is no place to listen at. */
async function placeOf(named: string, { token }: InputOptions): Promise<Place | null> {
  const unix = /^unix:(.+)$/.exec(named)?.[1];
  if (unix !== undefined) {
    await clearStale(unix);
    return { where: { path: unix }, accept: acceptSocket };
  }
  const [, scheme, bracketed, plain, port] = /^(tcp|ws):\/\/(?:\[([^\]]+)\]|([^:/]*)):(\d{1,5})\/?$/.exec(named) ?? [];
  if (scheme === undefined) return null;
  if (Number(port) > 65_535) throw new UsageError(`no such port: ${named}`);
  const host = bracketed ?? (plain || "127.0.0.1");
  if (!isLoopback(host) && token === undefined)
    say(
      `simtape: every program that reaches ${named} can write into this recording; --token refuses senders without the token`,
    );
  return { where: { host, port: Number(port) }, accept: scheme === "tcp" ? acceptSocket : acceptWebSocket };
}

function oneOf(name: string, stream: Readable, signal: AbortSignal): Input {
  async function* senders(): AsyncGenerator<Sender> {
    yield { name, bytes: until(signal, stream), answer: () => true, close: nothing };
  }
  return { isServer: false, senders: senders(), close: () => stream.destroy() };
}

/** What a stream gives, until it is over or the signal comes. A connection that breaks, however it does, is over. */
async function* until(signal: AbortSignal, stream: Readable, isConnection = false): AsyncGenerator<Uint8Array> {
  const stop = (): unknown => stream.destroy();
  signal.addEventListener("abort", stop);
  try {
    // what is left of it may still be answered
    for await (const bytes of stream.iterator({ destroyOnReturn: false })) yield bytes as Uint8Array;
  } catch (error) {
    if (!signal.aborted && !isConnection) throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

type Accept = (came: (sender: Sender) => void, signal: AbortSignal, options: InputOptions) => Server | HttpServer;

/** Listens; one sender at a time, others are turned away with a line that says so. */
async function serving(named: string, place: Place, signal: AbortSignal, options: InputOptions): Promise<Input> {
  let waiting: ((sender: Sender | null) => void) | null = null;
  let next: Sender | null = null;
  let isBusy = false;
  const door = await listening(
    named,
    place,
    signal,
    options,
    MOST_WAITING.one,
    () => (isBusy ? BUSY : null),
    (sender) => {
      isBusy = true;
      next = sender;
      waiting?.(sender);
    },
  );
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
      door.close();
    },
  };
}

/**
 * Listens. Who has sent no line yet holds no place, and not for long. `refusal` says why none more is let in now; null:
 * one is.
 */
async function listening(
  named: string,
  { where, accept }: Place,
  signal: AbortSignal,
  options: InputOptions,
  most: number,
  refusal: () => string | null,
  came: (sender: Sender) => void,
): Promise<Door> {
  let refused = 0;
  const outside = new Set<Sender>();
  const come = async (sender: Sender): Promise<void> => {
    const before = refusal();
    if (before !== null) return turnAway(sender, before);
    outside.add(sender);
    const [longest] = outside;
    if (outside.size > most && outside.delete(longest!)) turnAway(longest!, "others have come, and no line");
    const found = await letIn(sender, options).catch(() => null);
    if (!outside.delete(sender)) return;
    if (found === null) sender.close();
    else if (typeof found === "string") {
      turnAway(sender, found);
      if (++refused <= MOST_LINES) say(`simtape: ${sender.name} is refused: ${found}`);
    } else {
      const why = signal.aborted ? "the recorder ends" : refusal();
      if (why === null) came(found);
      else turnAway(sender, why);
    }
  };
  const server = accept((sender) => void come(sender), signal, options);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        new UsageError(
          error.code === "EADDRINUSE"
            ? `another program listens there: ${named}`
            : `cannot listen at ${named}: ${error.message}`,
        ),
      ),
    );
    server.listen(where, resolve);
  });
  const address = server.address();
  say(`simtape: listening at ${typeof address === "string" ? named : nameOf(named, address!)}`);
  return {
    close: () => {
      for (const sender of outside) sender.close();
      server.close();
      if ("closeAllConnections" in server) server.closeAllConnections();
    },
  };

  function nameOf(url: string, { address: host, family, port }: AddressInfo): string {
    return `${url.slice(0, url.indexOf("//") + 2)}${family === "IPv6" ? `[${host}]` : host}:${port}`;
  }
}

const BUSY = "another sender is connected";

function turnAway(sender: Sender, why: string): void {
  sender.answer(JSON.stringify({ error: why }));
  sender.close();
}

const acceptSocket: Accept = (came, signal) =>
  createServer({ allowHalfOpen: true, keepAlive: true, keepAliveInitialDelay: ASKED_AFTER }, (socket) => {
    // what goes wrong shows where the bytes are read
    socket.on("error", nothing);
    const answers = new BoundedLines({
      waiting: () => socket.writableLength,
      write: (line, done) => {
        if (socket.writable) socket.write(`${line}\n`, done);
      },
    });
    came({
      name: socket.remoteAddress ?? "a local process",
      bytes: until(signal, socket, true),
      answer: (line) => answers.tell(line),
      close: () => leave(socket),
    });
  });

const acceptWebSocket: Accept = (came, signal, { origins = [] }) => {
  const server = createHttpServer((_, response) => {
    response.writeHead(426, { "content-type": "text/plain" }).end("a WebSocket, please\n");
  });
  const sockets = new WebSocketServer({
    server,
    maxPayload: LONGEST_MESSAGE,
    perMessageDeflate: false,
    // any web page can connect to a port of this machine, but says where it comes from
    verifyClient: ({ req }: { req: IncomingMessage }) => isAllowed(req.headers.origin, origins),
  });
  sockets.on("error", nothing);
  sockets.on("connection", (socket, request) => {
    socket.on("error", nothing);
    request.socket.setKeepAlive(true, ASKED_AFTER);
    const answers = new BoundedLines({
      waiting: () => socket.bufferedAmount,
      write: (line, done) => {
        if (socket.readyState === socket.OPEN) socket.send(line, done);
      },
    });
    came({
      name: request.socket.remoteAddress ?? "a WebSocket",
      bytes: messagesOf(socket, signal),
      answer: (line) => answers.tell(line),
      close: () => {
        socket.close();
        setTimeout(() => socket.terminate(), CLOSE_TIMEOUT).unref();
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

/** A socket file without a listening process is in the way. */
async function clearStale(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found === null) return;
  if (!found.isSocket()) throw new UsageError(`exists already and is not a socket: ${path}`);
  const isAlive = await new Promise<boolean>((resolve) => {
    const probe = connect(path, () => {
      probe.destroy();
      resolve(true);
    });
    probe.on("error", () => resolve(false));
  });
  if (isAlive) throw new UsageError(`another process listens there already: ${path}`);
  await unlink(path);
}

function leave(socket: Socket): void {
  socket.end();
  socket.resume();
  setTimeout(() => socket.destroy(), CLOSE_TIMEOUT).unref();
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** No page, one of this machine, or one that was named. */
function isAllowed(origin: string | undefined, allowed: readonly string[]): boolean {
  if (origin === undefined || allowed.includes(origin)) return true;
  try {
    return isLoopback(new URL(origin).hostname.replace(/^\[|\]$/g, ""));
  } catch {
    return false;
  }
}

function nothing(): void {
  // the sender is gone
}
