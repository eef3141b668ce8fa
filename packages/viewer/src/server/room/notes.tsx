import { useEffect, useRef } from "react";
import { Button } from "../../ui/button.tsx";
import { NoteList } from "../recording/note-list.tsx";
import type { Notes } from "../recording/use-notes.ts";

/** Notes about what is watched, and a field for a new one. They stay with the recording. */
export function RoomNotes({
  notes,
  onClose,
}: {
  readonly notes: Pick<Notes, "list" | "add">;
  readonly onClose: () => void;
}) {
  const side = useRef<HTMLElement>(null);
  useEffect(() => {
    side.current?.querySelector("input")?.focus();
  }, []);
  return (
    <aside ref={side} className="room-chat room-notes" aria-label="Notes">
      <Button kind="bare" label="Close" onClick={onClose}>
        ✕
      </Button>
      <NoteList notes={notes} />
    </aside>
  );
}
