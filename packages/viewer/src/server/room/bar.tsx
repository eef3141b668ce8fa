import { useMemo, useState } from "react";
import { watcherColors } from "../../company.ts";
import { useSession } from "../../hooks.ts";
import { Button } from "../../ui/button.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import type { Notes } from "../recording/use-notes.ts";
import { GuestName } from "./guest-name.tsx";
import { RoomNotes } from "./notes.tsx";
import type { RoomActions, RoomState } from "./use-room.ts";

/** Names in the bar at most. */
const MOST_NAMES = 6;

/** Below the bar of the recording: who is here, who leads, and whether the player follows. */
export function RoomBar({
  room,
  actions,
  notes,
  isNoting,
  onNoting,
  onRename,
}: {
  readonly room: RoomState;
  readonly actions: RoomActions;
  readonly notes: Pick<Notes, "list" | "add">;
  /** Whether notes are listed. */
  readonly isNoting: boolean;
  readonly onNoting: (isNoting: boolean) => void;
  /** Null: the name is that of the account. */
  readonly onRename: ((name: string) => void) | null;
}) {
  const { connection, you, leader, members, count, lines, isFree } = room;
  const session = useSession();
  const [isTalking, setTalking] = useState(false);
  const [seen, setSeen] = useState(0);
  const noted = notes.list?.length ?? 0;
  const isLeader = leader !== null && leader === you;
  const colors = useMemo(() => watcherColors(members), [members]);
  const others = members.filter(({ id }) => id !== you);
  const unread = isTalking ? 0 : lines.length - seen;
  const talk = (): void => {
    setSeen(lines.length);
    setTalking(!isTalking);
  };
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(location.origin + location.pathname);
      session.tell("The link to this room is copied");
    } catch {
      session.tell("The address above leads to this room: copy it from there");
    }
  };
  return (
    <section className="room-bar" aria-label="Room">
      <ul className="room-members" aria-label="Who is here">
        {members.slice(0, MOST_NAMES).map(({ id, name, isFree: isAlone }) => (
          <li key={id} data-leader={id === leader || undefined} data-free={isAlone || undefined}>
            <i className="room-color" style={{ background: colors.get(id) }} />
            {id === you && onRename !== null ? <GuestName name={name} onRename={onRename} /> : name}
            {id === you && onRename === null && " (you)"}
            {id === leader && <span className="room-leads">leads</span>}
          </li>
        ))}
        {count > MOST_NAMES && <li>and {count - Math.min(members.length, MOST_NAMES)} more</li>}
      </ul>
      <span className="spring" />
      {connection !== "connected" && (
        <span role="status" className="room-connection">
          {connection === "gone" ? "This room has ended" : "Connecting …"}
        </span>
      )}
      {isFree ? (
        <Button kind="main" onClick={() => actions.setFree(false)}>
          Return to the room
        </Button>
      ) : (
        !isLeader && <Button onClick={() => actions.setFree(true)}>Look freely</Button>
      )}
      {leader === null && <Button onClick={actions.takeLead}>Take the lead</Button>}
      {isLeader && (
        <Menu label="Lead">
          {others.map(({ id, name }) => (
            <MenuItem key={id} onSelect={() => actions.giveLead(id)}>
              Hand over to {name}
            </MenuItem>
          ))}
          <MenuItem onSelect={actions.releaseLead}>Release the lead</MenuItem>
        </Menu>
      )}
      <Button label="Notes (N)" aria-expanded={isNoting} onClick={() => onNoting(!isNoting)}>
        {`Notes${noted > 0 ? ` (${noted})` : ""}`}
      </Button>
      <Button aria-expanded={isTalking} onClick={talk}>{`Chat${unread > 0 ? ` (${unread})` : ""}`}</Button>
      <Button onClick={() => void copy()}>Copy link</Button>
      {isNoting && <RoomNotes notes={notes} onClose={() => onNoting(false)} />}
      {isTalking && (
        <Chat
          lines={lines}
          onSay={actions.chat}
          onClose={() => {
            setSeen(lines.length);
            setTalking(false);
          }}
        />
      )}
    </section>
  );
}

function Chat({
  lines,
  onSay,
  onClose,
}: {
  readonly lines: RoomState["lines"];
  readonly onSay: (text: string) => void;
  readonly onClose: () => void;
}) {
  const [text, setText] = useState("");
  return (
    <aside className="room-chat" aria-label="Chat">
      <Button kind="bare" label="Close" onClick={onClose}>
        ✕
      </Button>
      <ol role="log">
        {lines.map(({ member, name, text: said, at }) => (
          <li key={`${member} ${at} ${said}`}>
            <b>{name}</b> {said}
          </li>
        ))}
      </ol>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() === "") return;
          onSay(text.trim());
          setText("");
        }}
      >
        <input
          className="field"
          aria-label="Say something"
          placeholder="Say something"
          maxLength={500}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </form>
    </aside>
  );
}
