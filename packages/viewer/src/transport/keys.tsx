import { useEffect, useState } from "react";
import { useSession } from "../hooks.ts";
import { Dialog } from "../ui/dialog.tsx";
import { COMMANDS, type Command, keyOf } from "./commands.ts";

const SIGNS: Readonly<Record<string, string>> = {
  " ": "Space",
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
};

/** Listens for the keys of all commands, and shows the help sheet and the palette. `extra` are commands of what is shown. */
export function Keys({ extra }: { readonly extra: readonly Command[] }) {
  const session = useSession();
  const [shown, setShown] = useState<"help" | "palette" | null>(null);
  useEffect(() => {
    let hasSpace = false;
    let isByKeyboard = false;
    const focus = ({ target }: FocusEvent): void => {
      isByKeyboard = target instanceof Element && target.matches(":focus-visible");
    };
    const obey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || isTyping(event, isByKeyboard)) return;
      const key = keyOf(event);
      if (key === "?" || key === "Ctrl+k") setShown(key === "?" ? "help" : "palette");
      else {
        const command = [...COMMANDS, ...extra].find(({ keys }) => keys.includes(key));
        if (command === undefined) return;
        if (!event.repeat || command.repeats === true) command.run(session);
      }
      event.preventDefault();
      hasSpace = key === " ";
    };
    // Some browsers press a button when the space bar is let go.
    const release = (event: KeyboardEvent): void => {
      if (hasSpace && event.key === " ") event.preventDefault();
      hasSpace = false;
    };
    addEventListener("focusin", focus);
    addEventListener("keydown", obey);
    addEventListener("keyup", release);
    return () => {
      removeEventListener("focusin", focus);
      removeEventListener("keydown", obey);
      removeEventListener("keyup", release);
    };
  }, [session, extra]);
  if (shown === "help") return <Help commands={[...COMMANDS, ...extra]} onClose={() => setShown(null)} />;
  if (shown === "palette") return <Palette commands={[...COMMANDS, ...extra]} onClose={() => setShown(null)} />;
  return null;
}

function Help({ commands, onClose }: { readonly commands: readonly Command[]; readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <h2>Keys</h2>
      <dl className="keys">
        {[...commands.filter(({ keys }) => keys.length > 0), { title: "All commands", keys: ["Ctrl+k"] }].map(
          ({ title, keys }) => (
            <div key={title}>
              <dt>
                <kbd>{signOf(keys[0]!)}</kbd>
              </dt>
              <dd>{title}</dd>
            </div>
          ),
        )}
      </dl>
      <p className="faint">
        On the timeline: drag to scrub, drag with Shift to loop, wheel to zoom, double click to show the whole
        recording.
      </p>
    </Dialog>
  );
}

function Palette({ commands, onClose }: { readonly commands: readonly Command[]; readonly onClose: () => void }) {
  const session = useSession();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const words = text.toLowerCase().split(/\s+/);
  const found = commands.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)));
  const run = (command: Command | undefined): void => {
    onClose();
    command?.run(session);
  };
  return (
    <Dialog title="Commands" onClose={onClose}>
      <input
        className="field palette-field"
        role="combobox"
        aria-label="Command"
        aria-expanded="true"
        aria-controls="palette"
        aria-activedescendant={`palette-${at}`}
        placeholder="Search commands"
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
        {found.map((command, i) => (
          <button
            key={command.title}
            id={`palette-${i}`}
            type="button"
            role="option"
            aria-selected={i === at}
            tabIndex={-1}
            className="menu-item"
            onClick={() => run(command)}
          >
            {command.title}
            {command.keys[0] !== undefined && <kbd>{signOf(command.keys[0])}</kbd>}
          </button>
        ))}
      </div>
    </Dialog>
  );
}

/** What the space bar presses. */
const PRESSED = "button, summary, select, input, [role=option], [role=tab], [role=treeitem]";
/** Of inputs, those that take no text. */
const NO_TEXT = ["button", "checkbox", "color", "file", "image", "radio", "range", "reset", "submit"];

/**
 * Into a field, a list, or anything else that needs its keys itself. The space bar plays everywhere but in a text: it
 * presses a button only where that has the focus by keyboard, as can be seen, not since it was clicked; Enter always does.
 */
function isTyping({ target, key }: KeyboardEvent, isByKeyboard: boolean): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const isText = target instanceof HTMLInputElement && !NO_TEXT.includes(target.type);
  const isOwn = isText || target.isContentEditable || target.closest("textarea, dialog, [popover]") !== null;
  if (key === " " && !isOwn) return isByKeyboard && target.closest(PRESSED) !== null;
  if (target instanceof HTMLSelectElement && isNoChoice(target, key)) return false;
  if (target.isContentEditable || target.closest("input, textarea, select, dialog, [popover]") !== null) return true;
  return key === "Enter" && target.closest("button, a, summary, [role=option]") !== null;
}

/** A letter with which nothing begins that can be chosen: after a rate was chosen, J, K and L still play. */
function isNoChoice({ options }: HTMLSelectElement, key: string): boolean {
  return /^[a-z]$/i.test(key) && ![...options].some(({ text }) => text.toLowerCase().startsWith(key.toLowerCase()));
}

function signOf(key: string): string {
  return key
    .split(/\+(?=.)/)
    .map((part) => SIGNS[part] ?? (part.length === 1 ? part.toUpperCase() : part))
    .join(" ");
}
