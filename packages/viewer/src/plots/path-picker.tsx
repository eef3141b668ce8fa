import { pathText, type SeriesPath, type State } from "simtape";
import { type KeyboardEvent, useId, useRef, useState } from "react";
import { useFrame, useSession, useValues } from "../hooks.ts";
import { Dialog } from "../ui/dialog.tsx";
import { chosenName } from "../subject.ts";
import { useUnits } from "../units.ts";
import { derivedPath } from "./derived.ts";
import { nameOfPath } from "./names.ts";
import { searchPaths } from "./paths.ts";

/** Shown of what is found. */
const LIMIT = 200;

function Unit({ unit }: { readonly unit: string | null }) {
  return unit === null ? null : <span className="plot-unit">{unit}</span>;
}

/** Finds numbers of the state that is shown, and puts them into a plot or takes them out. */
export function PathPicker({
  chosen,
  onToggle,
  onClose,
}: {
  readonly chosen: readonly SeriesPath[];
  readonly onToggle: (path: SeriesPath) => void;
  readonly onClose: () => void;
}) {
  const session = useSession();
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const state = useWhole();
  const [text, setText] = useState(() => {
    const name = chosenName(session.state.value);
    return name === null ? "" : `${name}/`;
  });
  const [active, setActive] = useState(0);
  const { found, isMore } = state === null ? { found: [], isMore: false } : searchPaths(state, text, LIMIT);
  const chosenTexts = new Set(chosen.map(pathText));
  const unitOf = useUnits();
  const at = Math.min(active, found.length - 1);
  const expression = found.length === 0 ? text.trim() : "";

  const press = (event: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (by !== undefined) {
      event.preventDefault();
      const next = Math.max(0, Math.min(found.length - 1, at + by));
      setActive(next);
      list.current?.children[next]?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter" && (found[at] !== undefined || expression !== "")) {
      event.preventDefault();
      onToggle(found[at]?.path ?? derivedPath(expression));
    }
  };

  return (
    <Dialog title="Numbers to plot" onClose={onClose}>
      <div className="picker">
        <input
          className="field"
          role="combobox"
          aria-label="Search numbers"
          aria-expanded
          aria-controls={id}
          aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
          placeholder="Search: position x, energy, steering …"
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setActive(0);
          }}
          onKeyDown={press}
        />
        <div
          id={id}
          ref={list}
          role="listbox"
          tabIndex={-1}
          aria-multiselectable
          aria-label="Numbers"
          className="picker-list"
        >
          {found.map(({ path, text: label, unit }, i) => (
            <button
              type="button"
              tabIndex={-1}
              key={label}
              id={`${id}-${i}`}
              role="option"
              aria-selected={chosenTexts.has(label)}
              data-active={i === at || undefined}
              onClick={() => onToggle(path)}
            >
              <span>
                {label} <small>{nameOfPath(path, state ?? undefined, false)}</small>
              </span>
              <Unit unit={"value" in path ? unitOf(path.value) : unit} />
            </button>
          ))}
        </div>
        <p className="picker-foot">
          {found.length === 0
            ? expression === ""
              ? "Nothing found."
              : "No recorded number is called so. An expression is plotted: distance(a, b), speed(a) …"
            : isMore
              ? `The first ${LIMIT}: refine your search.`
              : `${found.length} found.`}
          {expression !== "" && (
            <button type="button" className="button button-plain" onClick={() => onToggle(derivedPath(expression))}>
              Plot the expression
            </button>
          )}
          <button type="button" className="button button-main" onClick={onClose}>
            Done
          </button>
        </p>
      </div>
    </Dialog>
  );
}

/** The state that is shown, from when all of its values are there: what is listed does not change meanwhile. */
function useWhole(): State | null {
  useValues(null);
  const shown = useFrame()?.state ?? null;
  const [state, keep] = useState(shown);
  if (state === shown || shown === null || (state !== null && isWhole(state))) return state;
  keep(shown);
  return shown;
}

function isWhole({ values }: State): boolean {
  for (const value of values.values()) if (value === undefined) return false;
  return true;
}
