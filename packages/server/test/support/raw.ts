import { connect, type Socket } from "node:net";

/** A connection to a server on which bytes are sent as they are; `from`: an address of this machine. */
export function connection(address: string, from?: string): Socket {
  const { hostname, port } = new URL(address);
  const host = hostname.replace(/^\[|\]$/g, "");
  return connect({ port: Number(port), host, ...(from === undefined ? {} : { localAddress: from }) });
}

/**
 * Sends a request as it is written, and gives all of the answer, or as much as has `enough` in it: for what `fetch` would
 * not send.
 */
export async function raw(
  address: string,
  text: string,
  enough?: string,
): Promise<{ readonly status: number; readonly answer: string }> {
  const socket = connection(address);
  const pieces: Buffer[] = [];
  socket.on("data", (piece) => {
    pieces.push(piece);
    // what is refused closes by itself, with its body
    const isOpened = pieces[0]!.toString("latin1").startsWith("HTTP/1.1 101");
    if (isOpened && enough !== undefined && Buffer.concat(pieces).includes(enough)) socket.destroy();
  });
  const ended = new Promise<void>((resolve) => {
    socket.once("close", () => resolve());
    socket.once("error", () => resolve());
  });
  socket.setTimeout(10_000, () => socket.destroy());
  // half closed, it would not be answered
  socket.write(text);
  await ended;
  const answer = Buffer.concat(pieces).toString("latin1");
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0), answer };
}

/** Request text with the headers that every request has. */
export function requestOf(
  address: string,
  method: string,
  target: string,
  headers: Readonly<Record<string, string>> = {},
  body = "",
): string {
  const all = {
    host: new URL(address).host,
    connection: "close",
    ...(body === "" ? {} : { "content-length": String(Buffer.byteLength(body)), "content-type": "application/json" }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}
