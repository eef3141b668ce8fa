import { useState } from "react";
import { Button } from "../../ui/button.tsx";

const KEY = "simtape-guest-name";
const LONGEST = 60;

/** The name of a guest, as it was given last in this browser; at first a number. */
export function useGuestName(): readonly [name: string, rename: (name: string) => void] {
  const [name, setName] = useState(() => recall() ?? `Guest ${Math.ceil(Math.random() * 99)}`);
  return [
    name,
    (next) => {
      setName(next);
      remember(next);
    },
  ];
}

/** One's own name, which a click changes. */
export function GuestName({ name, onRename }: { readonly name: string; readonly onRename: (name: string) => void }) {
  const [draft, setDraft] = useState<string | null>(null);
  if (draft === null)
    return (
      <button type="button" className="button button-bare" title="Change your name" onClick={() => setDraft(name)}>
        {name} (you)
      </button>
    );
  return (
    <form
      className="form-line"
      onSubmit={(event) => {
        event.preventDefault();
        onRename(draft.trim());
        setDraft(null);
      }}
      onKeyDown={(event) => {
        // the keys of the player are letters
        event.stopPropagation();
        if (event.key === "Escape") setDraft(null);
      }}
    >
      <input
        className="field"
        aria-label="Your name"
        // biome-ignore lint/a11y/noAutofocus: the user has just asked for this field
        autoFocus
        required
        maxLength={LONGEST}
        value={draft}
        onChange={(event) => setDraft(event.currentTarget.value)}
      />
      <Button type="submit" disabled={draft.trim() === ""}>
        Keep
      </Button>
    </form>
  );
}

function recall(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function remember(name: string): void {
  try {
    localStorage.setItem(KEY, name);
  } catch {
    // a page that may keep nothing has it as long as it is open
  }
}
