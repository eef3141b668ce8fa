import { useEffect, useRef, useState } from "react";
import { type ConnectionState, type FromServer, type Member, type Note, RoomClient } from "simtape-server/rooms";
import { useSession } from "../../hooks.ts";
import { at } from "../api.ts";
import { Company } from "./company.ts";
import { Follower, UNREACHABLE } from "./follower.ts";

export type ChatLine = Omit<Extract<FromServer, { type: "chat" }>, "type">;

/** Lines of a chat that are kept. */
const MOST_LINES = 200;

export interface RoomState {
  readonly connection: ConnectionState;
  readonly you: string;
  readonly leader: string | null;
  readonly members: readonly Member[];
  readonly count: number;
  readonly lines: readonly ChatLine[];
  /** About all recordings of the room, by time. */
  readonly notes: readonly Note[];
  readonly isFree: boolean;
}

export interface RoomActions {
  readonly takeLead: () => void;
  readonly giveLead: (to: string) => void;
  readonly releaseLead: () => void;
  readonly setFree: (isFree: boolean) => void;
  readonly chat: (text: string) => void;
  /** About the first recording of the room. Throws while the room is not connected. */
  readonly note: (note: Pick<Note, "time" | "thing" | "text">) => void;
}

const ALONE: RoomState = {
  connection: "connecting",
  you: "",
  leader: null,
  members: [],
  count: 0,
  lines: [],
  notes: [],
  isFree: false,
};

/** Being in a room: its clock moves the player as long as the component is there. */
export function useRoom(id: string, name: string): { readonly room: RoomState; readonly actions: RoomActions } {
  const session = useSession();
  const [room, setRoom] = useState(ALONE);
  const present = useRef<{ readonly client: RoomClient; readonly follower: Follower } | null>(null);
  const setFree = (isFree: boolean): void => {
    const { client, follower } = present.current ?? {};
    if (isFree) client?.free();
    else client?.follow();
    follower?.setFree(isFree);
    setRoom((before) => ({ ...before, isFree }));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: `setFree` reads what is present
  useEffect(() => {
    const url = new URL(at(`api/rooms/${encodeURIComponent(id)}/socket`), location.origin);
    url.protocol = url.protocol.replace("http", "ws");
    const tell = (): void => {
      const { state, you, lead, members, count } = client;
      const notes = client.notes.toSorted((a, b) => a.time - b.time);
      setRoom((before) => ({ ...before, connection: state, you, leader: lead?.leader ?? null, members, count, notes }));
    };
    const client: RoomClient = new RoomClient({
      url: url.href,
      name,
      secret: secretOf(id),
      changed: () => tell(),
      heard: (message) => {
        company.hear(message);
        if (message.type === "pong" || message.type === "pointer") return;
        if (message.type === "clock" || message.type === "welcome") follower.look();
        if (message.type === "refused") session.tell(message.why);
        if (message.type === "chat")
          setRoom((before) => ({ ...before, lines: [...before.lines, message].slice(-MOST_LINES) }));
        tell();
      },
      connect: (address, { opened, heard, closed }) => {
        const socket = new WebSocket(address);
        socket.onopen = opened;
        socket.onmessage = ({ data }) => heard(data as string);
        socket.onclose = ({ code }) => closed(code);
        return socket;
      },
    });
    const follower = new Follower(session, client, () => setFree(true));
    const company = new Company(session, client);
    present.current = { client, follower };
    return () => {
      follower.close();
      company.close();
      client.close();
      present.current = null;
    };
  }, [session, id, name]);
  const actions: RoomActions = {
    takeLead: () => {
      setFree(false);
      present.current?.client.takeLead();
    },
    giveLead: (to) => present.current?.client.giveLead(to),
    releaseLead: () => present.current?.client.releaseLead(),
    setFree,
    chat: (text) => present.current?.client.chat(text),
    note: (note) => {
      const { client } = present.current ?? {};
      if (client?.state !== "connected") throw new Error(UNREACHABLE);
      client.note(note);
    },
  };
  return { room, actions };
}

/** Kept while the tab is there; `randomUUID` needs https, this does not. */
function secretOf(id: string): string {
  const key = `simtape-room-${id}`;
  const kept = sessionStorage.getItem(key);
  if (kept !== null) return kept;
  const made = [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
  sessionStorage.setItem(key, made);
  return made;
}
