import "./inspect.css";
import { useEffect, useMemo, useRef, useState } from "react";
import { useFrame, useSession, useValues, useViewer } from "../hooks.ts";
import { wordsOf } from "../plots/paths.ts";
import { useShown } from "../plots/shared.ts";
import { chosenName } from "../subject.ts";
import { useUnits } from "../units.ts";
import { MOST_FOUND, StateTree, type TreeRow } from "./tree.ts";
import { VirtualList } from "./virtual-list.tsx";

/** Times a second that it is renewed while the recording plays. */
const RATE = 8;
/** Rows that are opened when the panel is. */
const FEW = 4;
const NO_ROWS: readonly TreeRow[] = [];

/** Everything that was recorded at or before the time shown. What changed since it was last renewed is marked. */
export function StatePanel() {
  const session = useSession();
  const frame = useFrame(RATE);
  const [plots, setPlots] = useShown();
  const [text, setText] = useState("");
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [active, setActive] = useState<string | null>(null);
  const before = useRef(new Map<string, string>());
  const [tree] = useState(() => new StateTree());
  const unitOf = useUnits();
  const words = wordsOf(text);
  useValues(words.length > 0 ? null : groupsIn(open));
  const rows = frame === null ? NO_ROWS : tree.rows(frame.recorded, open, words);

  const thing = useViewer(chosenName);
  useEffect(() => {
    if (thing === null) return;
    setOpen((keys) => new Set([...keys, thing.slice(0, thing.indexOf("/")), thing]));
    setActive(thing);
  }, [thing]);

  // Where little is to be seen, all of it is.
  const few = words.length === 0 && open.size === 0 && rows.length > 0 && rows.length <= FEW;
  const [isNew, setNew] = useState(true);
  useEffect(() => {
    if (!isNew || rows.length === 0) return;
    setNew(false);
    if (few) setOpen(new Set(rows.flatMap(({ key, isOpen }) => (isOpen === null ? [] : [key]))));
  }, [isNew, rows, few]);

  const shown = new Map<string, string>();
  const isSettled = !session.isPlaying;
  useEffect(() => {
    before.current = shown;
  });
  const toggle = (row: TreeRow, isOpen: boolean): void => {
    const keys = new Set(open);
    if (isOpen) keys.add(row.key);
    else keys.delete(row.key);
    setOpen(keys);
  };
  const plot = (row: TreeRow): void => setPlots({ charts: [...plots.charts, row.paths()] });
  const at = useMemo(
    () => Math.max(0, active === null ? 0 : rows.findIndex(({ key }) => key === active)),
    [rows, active],
  );

  return (
    <div className="inspect">
      <div className="inspect-bar">
        <input
          type="search"
          className="field"
          aria-label="Search the state"
          placeholder="Search: position, energy, 24 velocity …"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {words.length > 0 && (
          <output>{rows.length >= MOST_FOUND ? `the first ${MOST_FOUND}` : `${rows.length} rows`}</output>
        )}
      </div>
      <VirtualList
        label="State"
        role="tree"
        count={rows.length}
        active={at}
        onActive={(index) => setActive(rows[index]?.key ?? null)}
        onChoose={(index) => {
          const row = rows[index];
          if (row === undefined) return;
          if (row.thing !== null) session.select({ kind: "thing", ...row.thing });
          if (row.isOpen !== null && words.length === 0) toggle(row, !row.isOpen);
        }}
        onKey={(key, index) => {
          const row = rows[index];
          if (row === undefined) return false;
          if (key === "ArrowRight" && row.isOpen === false) toggle(row, true);
          else if (key === "ArrowLeft" && row.isOpen === true && words.length === 0) toggle(row, false);
          else if (key === "ArrowLeft") {
            setActive(rows.slice(0, index).findLast(({ depth }) => depth < row.depth)?.key ?? row.key);
          } else if (key === "p" && row.paths().length > 0) plot(row);
          else return key === "ArrowRight";
          return true;
        }}
        row={(index) => {
          const row = rows[index]!;
          const content = row.text();
          const last = before.current.get(row.key);
          shown.set(row.key, content);
          const unit = row.value === null ? row.unit : unitOf(row.value);
          return {
            key: row.key,
            attributes: {
              "aria-level": row.depth + 1,
              ...(row.isOpen === null ? {} : { "aria-expanded": row.isOpen }),
              "data-changed": last !== undefined && last !== content && !isSettled ? true : undefined,
            },
            content: (
              <>
                <span className="tree-name" style={{ paddingInlineStart: row.depth * 14 }}>
                  <span className="tree-sign" aria-hidden>
                    {row.isOpen === null ? "" : row.isOpen ? "▾" : "▸"}
                  </span>
                  {row.name}
                </span>
                <span className="tree-text">{content}</span>
                {unit !== null && <span className="tree-unit">{unit}</span>}
                {row.isOpen === null && row.paths().length > 0 && (
                  <button
                    type="button"
                    tabIndex={-1}
                    className="tree-plot"
                    aria-label={`Plot ${row.key} (P)`}
                    title="Plot (P)"
                    onClick={(event) => {
                      event.stopPropagation();
                      plot(row);
                    }}
                  >
                    ∿
                  </button>
                )}
              </>
            ),
          };
        }}
      />
    </div>
  );
}

/** Groups of values that are open, by the keys of their rows. */
function groupsIn(open: ReadonlySet<string>): readonly string[] {
  return [...open].filter((key) => key.startsWith("=")).map((key) => key.slice(1));
}
