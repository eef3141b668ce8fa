import "../recording/recording.css";
import "./room.css";
import { useEffect, useMemo, useState } from "react";
import { useSession, useViewer } from "../../hooks.ts";
import type { Command } from "../../transport/commands.ts";
import { PlaceContext } from "../../shell/layout/place.ts";
import { ask, at, messageOf } from "../api.ts";
import { useMe } from "../me.tsx";
import { Back, Opening } from "../recording/page.tsx";
import { locatorOf } from "../recording/locator.ts";
import { NoteLane } from "../recording/note-lane.tsx";
import type { Details, Room } from "../shapes.ts";
import { SiteBar } from "../site-bar.tsx";
import { Trouble } from "../trouble.tsx";
import { RoomBar } from "./bar.tsx";
import { useGuestName } from "./guest-name.tsx";
import { useRoom } from "./use-room.ts";
import { Workbench } from "../../shell/late-workbench.ts";

interface Found {
  readonly room: Room;
  readonly recordings: readonly Details[];
}

/** Where people watch recordings together. */
export function RoomPage({ id }: { readonly id: string }) {
  const [found, setFound] = useState<Found | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [count, setCount] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again by a button
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const load = async (): Promise<void> => {
      const room = await ask("GET /api/rooms/{id}", { params: { id }, signal });
      const recordings = await Promise.all(
        room.recordings.map((one) => ask("GET /api/recordings/{id}", { params: { id: one }, signal })),
      );
      setFound({ room, recordings });
      setFailure(null);
    };
    load().catch((error: unknown) => void (signal.aborted || setFailure(messageOf(error))));
    return () => controller.abort();
  }, [id, count]);
  if (found !== null) return <Shown {...found} />;
  if (failure === null) return null;
  return (
    <>
      <SiteBar />
      <Trouble message={failure} onAgain={() => setCount(count + 1)} />
    </>
  );
}

function Shown({ room, recordings }: Found) {
  const session = useSession();
  const me = useMe();
  const [guest, rename] = useGuestName();
  // without accounts all have the same account
  const isGuest = me.via === "open" || me.name === "";
  const isOpen = useViewer(({ decks }) => decks.length > 0);
  const { room: state, actions } = useRoom(room.id, isGuest ? guest : me.name);
  const [isNoting, setNoting] = useState(false);
  const commands: readonly Command[] = useMemo(
    () => [{ title: "Notes of the room", keys: ["n"], run: () => setNoting((before) => !before) }],
    [],
  );
  const first = room.recordings[0];
  const list = useMemo(() => state.notes.filter(({ recording }) => recording === first), [state.notes, first]);
  const notes = { list, add: async (note: Parameters<typeof actions.note>[0]): Promise<void> => actions.note(note) };
  useEffect(() => {
    document.title = `${room.name} · simtape`;
  }, [room.name]);
  useEffect(() => {
    let isLeft = false;
    const open = async (): Promise<void> => {
      const [main, ...ghosts] = recordings.map((one) => locatorOf(one, at(`room/${room.id}`)));
      await session.open(main!);
      for (const ghost of ghosts) if (!isLeft) await session.addGhost(ghost);
    };
    void open();
    return () => {
      isLeft = true;
      void session.close();
    };
  }, [session, room, recordings]);
  const place = {
    back: <Back />,
    name: room.name,
    actions: null,
    commands,
    strip: <NoteLane notes={list} />,
    below: (
      <RoomBar
        room={state}
        actions={actions}
        notes={notes}
        isNoting={isNoting}
        onNoting={setNoting}
        onRename={isGuest ? rename : null}
      />
    ),
  };
  return (
    <div className="recording-page">
      <PlaceContext value={place}>{isOpen ? <Workbench /> : <Opening details={recordings[0]!} />}</PlaceContext>
    </div>
  );
}
