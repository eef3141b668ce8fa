import "./key-sheet.css";
import { useEffect, useState } from "react";
import { eventListOf, type Known } from "../events/event-list.ts";
import { useObservable, useSession, useViewer } from "../hooks.ts";
import { Observable } from "../observable.ts";
import { Dialog } from "../ui/dialog.tsx";
import type { Command } from "./commands.ts";
import { named } from "./named.ts";

const NO_EVENTS = new Observable<Known>({ events: [], phase: "complete" });

const SIGNS: Readonly<Record<string, string>> = {
  " ": "Space",
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
};

/** All keys, or all commands to choose from. */
export function KeySheet({
  kind,
  ...rest
}: {
  readonly kind: "help" | "palette";
  readonly commands: readonly Command[];
  readonly onClose: () => void;
}) {
  return kind === "help" ? <Help {...rest} /> : <Palette {...rest} />;
}

function Help({ commands, onClose }: { readonly commands: readonly Command[]; readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <h2>Keys</h2>
      <dl className="keys">
        {[
          ...commands.filter(({ keys }) => keys.length > 0),
          { title: "All commands, things, channels and events", keys: ["Ctrl+k"] },
        ].map(({ title, keys }) => (
          <div key={title}>
            <dt>
              <kbd>{signOf(keys[0]!)}</kbd>
            </dt>
            <dd>{title}</dd>
          </div>
        ))}
      </dl>
      <p className="faint">
        On the timeline: drag to scrub, drag with Shift to loop, wheel to zoom, double click to show the whole
        recording, + and − to zoom by keyboard. In plots: + and − to zoom, 0 to show the whole recording. Delete on a
        tab closes its panel.
      </p>
    </Dialog>
  );
}

function Palette({ commands, onClose }: { readonly commands: readonly Command[]; readonly onClose: () => void }) {
  const session = useSession();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const words = text.toLowerCase().split(/\s+/);
  const deck = useViewer(({ decks }) => decks[0]);
  const events = useObservable(
    deck === undefined ? NO_EVENTS : eventListOf(session, deck).known,
    (known) => known.events,
  );
  const found = [
    ...commands
      .filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)))
      .map(({ keys, ...command }) => ({ ...command, id: command.title, key: keys[0], what: "" })),
    ...named(text, session.frame?.recorded ?? null, deck?.opened, events).map((one) => ({ ...one, key: undefined })),
  ];
  const run = (one: (typeof found)[number] | undefined): void => {
    onClose();
    one?.run(session);
  };
  useEffect(() => {
    document.getElementById(`palette-${at}`)?.scrollIntoView({ block: "nearest" });
  }, [at]);
  return (
    <Dialog title="Commands" onClose={onClose}>
      <input
        className="field palette-field"
        role="combobox"
        aria-label="Command"
        aria-expanded="true"
        aria-controls="palette"
        aria-activedescendant={`palette-${at}`}
        placeholder="Search commands, things, channels and events"
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (by !== undefined) setAt((at + by + found.length) % Math.max(1, found.length));
          else if (event.key === "Enter") run(found[at]);
          else return;
          event.preventDefault();
        }}
      />
      <div id="palette" role="listbox" className="palette" aria-label="Commands">
        {found.map((one, i) => (
          <button
            key={one.id}
            id={`palette-${i}`}
            type="button"
            role="option"
            aria-selected={i === at}
            tabIndex={-1}
            className="menu-item"
            onClick={() => run(one)}
          >
            <span className="palette-title">{one.title}</span>
            {one.key !== undefined && <kbd>{signOf(one.key)}</kbd>}
            {one.what !== "" && <span className="faint">{one.what}</span>}
          </button>
        ))}
      </div>
    </Dialog>
  );
}

function signOf(key: string): string {
  return key
    .split(/\+(?=.)/)
    .map((part) => SIGNS[part] ?? (part.length === 1 ? part.toUpperCase() : part))
    .join(" ");
}
