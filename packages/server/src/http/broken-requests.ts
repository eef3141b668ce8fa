import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";

/** Errors of Node's parser: the status of the answer, and what is wrong. */
const ANSWERS: Readonly<Record<string, readonly [status: number, detail: string]>> = {
  HPE_HEADER_OVERFLOW: [431, "the headers are too long: 16 KiB at most"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "the request did not come in time"],
};

/** Milliseconds in which the client may read the answer. The client may go on sending, and never end its side. */
const LINGER = 1000;

/**
 * Answers data that is not a valid HTTP request, before any route: with problem details as everywhere, and the end of
 * the connection.
 */
export function answerBroken({ code }: { readonly code?: string }, socket: Duplex): void {
  // the client is gone
  if (code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  refuse(socket, ...(ANSWERS[code ?? ""] ?? ([400, `this is no request of HTTP/1.1 (${code ?? "unknown"})`] as const)));
}

/** Answers with problem details, and ends the connection. */
export function refuse(socket: Duplex, status: number, detail: string): void {
  const title = STATUS_CODES[status]!;
  const body = JSON.stringify({ type: "about:blank", title, status, detail, request: "none" });
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    "content-type: application/problem+json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  const lingering = setTimeout(() => socket.destroy(), LINGER);
  socket.once("close", () => clearTimeout(lingering));
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
