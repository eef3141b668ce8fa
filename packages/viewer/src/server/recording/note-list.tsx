import { useState } from "react";
import { useTimeScale } from "../../use-time-scale.ts";
import { useSession } from "../../hooks.ts";
import { chosenName } from "../../subject.ts";
import { Button } from "../../ui/button.tsx";
import { messageOf } from "../api.ts";
import type { Notes } from "./use-notes.ts";

/** Notes by time; a click goes there. */
export function NoteList({ notes: { list, add } }: { readonly notes: Pick<Notes, "list" | "add"> }) {
  const session = useSession();
  const scale = useTimeScale();
  return (
    <>
      <h3>Notes</h3>
      {list!.length > 0 && (
        <ol className="note-list">
          {list!.map(({ id, time, author, text: said }) => (
            <li key={id}>
              <button type="button" onClick={() => void session.seek(time * 1e9)}>
                <b className="time">{scale.text(time * 1e9, 0)}</b> {said} <span className="faint">{author}</span>
              </button>
            </li>
          ))}
        </ol>
      )}
      {add !== undefined && <NewNote add={add} />}
    </>
  );
}

/** A note is of the moment that is shown, and of what is selected. */
function NewNote({ add }: { readonly add: NonNullable<Notes["add"]> }) {
  const session = useSession();
  const [text, setText] = useState("");
  const send = (): void => {
    const thing = chosenName(session.state.value);
    add({ time: (session.time ?? 0) / 1e9, thing, text: text.trim() })
      .then(() => setText(""))
      .catch((error: unknown) => session.tell(messageOf(error)));
  };
  return (
    <form
      className="side-line"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <input
        className="field"
        aria-label="A note at this moment"
        placeholder="A note at this moment"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit" disabled={text.trim() === ""}>
        Add
      </Button>
    </form>
  );
}
