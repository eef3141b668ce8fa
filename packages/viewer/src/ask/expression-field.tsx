import { useEffect, useId, useRef, useState } from "react";
import { useSession } from "../hooks.ts";
import type { Answer } from "../protocol.ts";

/** After the last key, until it is asked, milliseconds. */
const SETTLE = 250;
/** Completions that are shown at once. */
const SHOWN = 8;

/** Takes an expression as it is typed, and offers what can stand at the cursor: arrows choose, Tab or Enter takes. */
export function ExpressionField({
  recording,
  text,
  isWrong,
  onChange,
  onEnter,
}: {
  readonly recording: number;
  readonly text: string;
  readonly isWrong: boolean;
  /** When it was not typed on for a moment. */
  readonly onChange: (text: string) => void;
  /** Enter, where no completion is chosen. */
  readonly onEnter: () => void;
}) {
  const session = useSession();
  const id = useId();
  const [typed, setTyped] = useState(text);
  const [offer, setOffer] = useState<Answer<"complete"> | null>(null);
  const [at, setAt] = useState(-1);
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const running = useRef(new AbortController());
  const said = useRef(text);
  // another expression, from an example or an address
  useEffect(() => {
    if (text !== said.current) setTyped(text);
    said.current = text;
  }, [text]);
  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current);
      running.current.abort();
    },
    [],
  );

  const say = (next: string, isNow = false): void => {
    setTyped(next);
    if (timer.current !== null) clearTimeout(timer.current);
    const tell = (): void => {
      said.current = next.trim();
      onChange(next.trim());
    };
    if (isNow) tell();
    else timer.current = setTimeout(tell, SETTLE);
  };
  const look = (next: string, cursor: number): void => {
    running.current.abort();
    running.current = new AbortController();
    if (next.trim() === "") {
      setOffer(null);
      return;
    }
    session
      .query("complete", { recording, text: next, cursor }, { signal: running.current.signal })
      .then((found) => {
        setOffer(found.words.length === 0 ? null : found);
        setAt(-1);
      })
      .catch(() => undefined);
  };
  /** Also what is still looked for: it would cover what was found. */
  const close = (): void => {
    running.current.abort();
    setOffer(null);
  };
  const words = offer?.words.slice(0, SHOWN) ?? [];
  const take = (word: string): void => {
    const cursor = field.current?.selectionStart ?? typed.length;
    const begun = typed.slice(0, offer!.from) + word;
    const next = begun + typed.slice(cursor);
    setOffer(null);
    say(next);
    look(next, begun.length);
    requestAnimationFrame(() => field.current?.setSelectionRange(begun.length, begun.length));
  };

  return (
    <div className="expression">
      <input
        ref={field}
        type="text"
        className="field"
        role="combobox"
        aria-label="When is it true"
        aria-expanded={words.length > 0}
        aria-controls={id}
        aria-autocomplete="list"
        aria-invalid={isWrong || undefined}
        {...(at >= 0 && { "aria-activedescendant": `${id}-${at}` })}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        placeholder="When: any vehicles (speed > 30 km/h) …"
        value={typed}
        onChange={(event) => {
          const { value, selectionStart } = event.currentTarget;
          say(value);
          look(value, selectionStart ?? value.length);
        }}
        onBlur={close}
        onKeyDown={(event) => {
          const { key } = event;
          if (key === "ArrowDown" && words.length > 0) setAt((at + 1) % words.length);
          else if (key === "ArrowUp" && words.length > 0) setAt((at <= 0 ? words.length : at) - 1);
          else if (key === "Escape" && words.length > 0) close();
          else if (key === "Tab" && !event.shiftKey && words.length > 0 && at >= 0) take(words[at]!);
          else if (key === "Enter" && at >= 0 && words[at] !== undefined) take(words[at]);
          else if (key === "Enter") {
            close();
            say(typed, true);
            onEnter();
          } else return;
          event.preventDefault();
        }}
      />
      <div id={id} role="listbox" className="expression-words" aria-label="Completions" hidden={words.length === 0}>
        {words.map((word, i) => (
          <div
            key={word}
            id={`${id}-${i}`}
            role="option"
            className="menu-item"
            aria-selected={i === at}
            tabIndex={-1}
            onPointerDown={(event) => {
              // the field keeps the focus
              event.preventDefault();
              take(word);
            }}
          >
            {word}
          </div>
        ))}
      </div>
    </div>
  );
}
