/** simtape-server/rooms: what a page or program needs to join a room. It has no dependencies. */
export {
  type Connection,
  type ConnectionEvents,
  type ConnectionState,
  RoomClient,
  type RoomClientOptions,
} from "./client.ts";
export { type Clock, FASTEST, type Move, moved, newClock, positionAt, type Range } from "./clock.ts";
export { Offset } from "./offset.ts";
export {
  type FromClient,
  type FromServer,
  type Lead,
  LONGEST,
  type Member,
  type Note,
  type Pointer,
  ROOM_GONE,
} from "./protocol.ts";
