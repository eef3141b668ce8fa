import WebSocket, { type RawData } from "ws";
import type { Connection, ConnectionEvents } from "../../src/rooms/index.ts";

/** A message as text. */
export function textOf(data: RawData): string {
  return (data as Buffer).toString("utf8");
}

/** For a `RoomClient`. */
export function connectRoom(url: string, { opened, heard, closed }: ConnectionEvents): Connection {
  const socket = new WebSocket(url);
  socket.on("open", opened);
  socket.on("message", (data) => heard(textOf(data)));
  socket.on("error", () => undefined);
  socket.on("close", closed);
  return socket;
}
