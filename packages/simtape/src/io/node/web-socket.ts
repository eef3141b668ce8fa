import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { WebSocket } from "ws";
import type { Link, LinkListener, LinkMessage } from "../sink/link.ts";
import { shownUrl } from "../source/shown-url.ts";
import { SourceError } from "../source/source.ts";

/** Milliseconds between two pings; an end that does not answer one before the next is taken for dead. */
const PING_EVERY = 20_000;
/** Milliseconds that the other end has for its goodbye. */
const GOODBYE = 1000;
/** Codes of a goodbye in order: done, going away, none said (RFC 6455 §7.4.1). Others are errors, or a restart. */
const ORDERLY: ReadonlySet<number> = new Set([1000, 1001, 1005]);
/** NanoVer's server takes no longer message (NanoVer semantics §5). */
const LONGEST = 128 << 20;

/** How a client connects. Everything is optional. */
export interface LinkOptions {
  /** Subprotocols, the preferred one first. */
  readonly protocols?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds until the connection must stand; default 10 s. */
  readonly timeout?: number | undefined;
  /** Milliseconds that the other end has to show that it is alive, as often as it is asked; default 20 s. */
  readonly pingTimeout?: number | undefined;
}

/** Connects to a WebSocket server. Rejects with `SourceError` if there is none, or with the signal's reason. */
export async function connectLink(
  url: string,
  { protocols = [], signal, timeout = 10_000, pingTimeout = PING_EVERY }: LinkOptions = {},
): Promise<Link> {
  // loaded on use: most who read files connect to nothing
  const { WebSocket } = await import("ws");
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const socket = new WebSocket(url, [...protocols], { maxPayload: LONGEST, handshakeTimeout: timeout });
    const link = new SocketLink(socket, shownUrl(url), pingTimeout);
    socket.once("upgrade", ({ socket: wire }) => link.watch(wire));
    const stop = (): void => {
      reject(signal!.reason as Error);
      socket.terminate();
    };
    const done = (): void => signal?.removeEventListener("abort", stop);
    signal?.addEventListener("abort", stop);
    socket.once("open", () => {
      done();
      resolve(link);
    });
    socket.once("error", (cause) => {
      done();
      reject(new SourceError("failed", `no connection to ${shownUrl(url)}: ${cause.message}`, { cause }));
    });
  });
}

/** How a server listens. */
export interface ListenOptions {
  readonly host?: string | undefined;
  /** 0: any free one. */
  readonly port: number;
  /** Subprotocols that the server speaks, the preferred one first; a client that offers none of them is refused. Absent: none. */
  readonly protocols?: readonly string[] | undefined;
  /** Bytes of one message of a client at most; default 16 MiB. */
  readonly longest?: number | undefined;
  /** Whether a page of that origin may connect; default: pages of this machine only. Programs name no origin, and may. */
  readonly allows?: ((origin: string) => boolean) | undefined;
  /** The status with which a client is refused, 400 to 599; null: it may connect. Absent: all may. Rejects never. */
  readonly refuses?: ((asked: LinkRequest) => Promise<number | null>) | undefined;
  /** Called once for each link that has arrived, when it has ended. */
  readonly left?: ((link: Link) => void) | undefined;
}

/** What a client asks for when it connects. */
export interface LinkRequest {
  /** Of the address, with its slash; percent signs are as they were sent. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The header `Authorization`; "": none. */
  readonly authorization: string;
  /** Address of the client. */
  readonly peer: string;
}

/**
 * Listens for WebSockets; `arrived` gets each link, with the same request that `refuses` was asked about. Rejects with
 * `SourceError` if the port cannot be had.
 */
export async function listenForLinks(
  { host = "127.0.0.1", port, protocols, longest = 16 << 20, allows = isLocalPage, refuses, left }: ListenOptions,
  arrived: (link: Link, asked: LinkRequest) => void,
): Promise<LinkListener> {
  const { WebSocketServer } = await import("ws");
  const requests = new WeakMap<IncomingMessage, LinkRequest>();
  const mayCome = ({ origin, req }: { origin: string | undefined; req: IncomingMessage }): boolean => {
    if (origin !== undefined && !allows(origin)) return false;
    if (protocols === undefined) return true;
    const offered = (req.headers["sec-websocket-protocol"] ?? "").split(/\s*,\s*/);
    return protocols.some((one) => offered.includes(one));
  };
  return new Promise((resolve, reject) => {
    const server = new WebSocketServer({
      host,
      port,
      maxPayload: longest,
      perMessageDeflate: false,
      verifyClient: (
        info: { origin: string | undefined; req: IncomingMessage },
        answer: (isAllowed: boolean, status?: number) => void,
      ) => {
        if (!mayCome(info)) return answer(false, 401);
        const asked = requestOf(info.req);
        requests.set(info.req, asked);
        if (refuses === undefined) return answer(true);
        void refuses(asked).then((status) => (status === null ? answer(true) : answer(false, status)));
      },
      handleProtocols: (offered) => (protocols ?? []).find((one) => offered.has(one)) ?? false,
    });
    const links = new Set<Link>();
    server.on("connection", (socket, request) => {
      const { remoteAddress, remotePort } = request.socket;
      request.socket.setNoDelay(true);
      const link = new SocketLink(socket, `${remoteAddress ?? "a client"}:${remotePort ?? 0}`, PING_EVERY);
      link.watch(request.socket);
      links.add(link);
      socket.once("close", () => {
        links.delete(link);
        left?.(link);
      });
      arrived(link, requests.get(request)!);
    });
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const why = cause.code === "EADDRINUSE" ? "another program listens there" : cause.message;
      reject(new SourceError("failed", `cannot listen at ${host}:${port}: ${why}`, { cause }));
    });
    server.once("listening", () => {
      const { address, family, port: actual } = server.address() as AddressInfo;
      resolve({
        address: `ws://${family === "IPv6" ? `[${address}]` : address}:${actual}`,
        close: () =>
          new Promise((closed) => {
            for (const link of links) link.close(1001, "the server ends");
            server.close(() => closed());
          }),
      });
    });
  });
}

function requestOf({ url = "/", headers, socket }: IncomingMessage): LinkRequest {
  const [path, ...query] = url.split("?");
  return {
    path: path!,
    query: new URLSearchParams(query.join("?")),
    authorization: headers.authorization ?? "",
    peer: socket.remoteAddress ?? "",
  };
}

class SocketLink implements Link {
  readonly peer: string;
  readonly #socket: WebSocket;
  #onMessage: ((message: LinkMessage) => void) | null = null;
  #onEnd: ((failure: Error | null) => void) | null = null;
  /** What came before a listener: a server may speak at once. */
  #early: LinkMessage[] = [];
  #hasEnded = false;
  #failure: Error | null = null;
  #isAlive = true;
  /** What the messages arrive over, and how much had when it was looked at last: a long message shows nothing else. */
  #wire: { readonly bytesRead: number } | null = null;
  #read = 0;

  constructor(socket: WebSocket, peer: string, pingTimeout: number) {
    this.#socket = socket;
    this.peer = peer;
    const timer = setInterval(() => this.#look(pingTimeout), pingTimeout);
    timer.unref();
    socket.binaryType = "nodebuffer";
    socket.on("message", (data: Buffer, isBinary: boolean) => {
      this.#isAlive = true;
      const message = isBinary ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : data.toString("utf8");
      if (this.#onMessage === null || this.#early.length > 0) this.#early.push(message);
      else this.#onMessage(message);
    });
    socket.on("pong", () => {
      this.#isAlive = true;
    });
    socket.on("error", (error) => {
      this.#failure ??= error;
    });
    socket.on("close", (code: number, reason: Buffer) => {
      clearInterval(timer);
      // 1006: the connection broke without a goodbye
      if (code === 1006) this.#failure ??= new Error("the connection broke");
      else if (!ORDERLY.has(code)) {
        const why = reason.length === 0 ? "" : `: ${reason.toString().slice(0, 123)}`;
        this.#failure ??= new Error(`it closed the connection with code ${code}${why}`);
      }
      this.#hasEnded = true;
      this.#finish();
    });
  }

  set onMessage(listener: (message: LinkMessage) => void) {
    this.#onMessage = listener;
    queueMicrotask(() => this.#finish());
  }

  get onMessage(): (message: LinkMessage) => void {
    return this.#onMessage ?? nothing;
  }

  set onEnd(listener: (failure: Error | null) => void) {
    this.#onEnd = listener;
    queueMicrotask(() => this.#finish());
  }

  get onEnd(): (failure: Error | null) => void {
    return this.#onEnd ?? nothing;
  }

  get protocol(): string {
    return this.#socket.protocol;
  }

  get waiting(): number {
    return this.#socket.bufferedAmount;
  }

  send(message: LinkMessage): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(message);
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  close(code = 1000, reason = ""): void {
    this.#socket.close(code, reason);
    setTimeout(() => this.#socket.terminate(), GOODBYE).unref();
  }

  /** Gives what came early, and then the end. */
  #finish(): void {
    if (this.#onMessage !== null) {
      for (let message = this.#early[0]; message !== undefined; message = this.#early[0]) {
        this.#onMessage(message);
        this.#early.shift();
      }
    }
    if (!this.#hasEnded || this.#onEnd === null || this.#early.length > 0) return;
    const { peer } = this;
    const onEnd = this.#onEnd;
    const failure = this.#failure;
    this.#onMessage = nothing;
    this.#onEnd = nothing;
    const isKnown = failure === null || failure instanceof SourceError;
    onEnd(isKnown ? failure : new SourceError("failed", `${peer}: ${failure.message}`, { cause: failure }));
  }

  watch(wire: { readonly bytesRead: number }): void {
    this.#wire = wire;
  }

  #look(pingTimeout: number): void {
    const read = this.#wire?.bytesRead ?? 0;
    if (read > this.#read) this.#isAlive = true;
    this.#read = read;
    // what was paused here does not show what the other end does
    if (!this.#isAlive && !this.#socket.isPaused) {
      this.#failure = new Error(`no answer for ${pingTimeout / 1000} s`);
      this.#socket.terminate();
      return;
    }
    this.#isAlive = false;
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping();
  }
}

/** A page of this machine. */
export function isLocalPage(origin: string): boolean {
  try {
    const { hostname } = new URL(origin);
    return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
  } catch {
    return false;
  }
}

function nothing(): void {
  // no listener
}
