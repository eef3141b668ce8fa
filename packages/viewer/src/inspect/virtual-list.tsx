import { type KeyboardEvent, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { heightOf, scrollTo, windowAt } from "./virtual.ts";

/** Pixels of a row; also in inspect.css and touch.css. */
const ROW = matchMedia("(pointer: coarse)").matches ? 44 : 22;

interface Props {
  readonly label: string;
  readonly role: "tree" | "listbox";
  readonly count: number;
  /** The row that keys act on. */
  readonly active: number;
  readonly onActive: (index: number) => void;
  /** Enter, or a click. */
  readonly onChoose: (index: number) => void;
  /** Other keys than those that move; true: it was for this list. */
  readonly onKey?: (key: string, index: number) => boolean;
  readonly row: (index: number) => {
    readonly key: string;
    readonly content: ReactNode;
    readonly attributes?: Readonly<Record<string, string | number | boolean | undefined>>;
  };
  /** The rows that are seen. */
  readonly onWindow?: (first: number, last: number) => void;
}

/** A list of any length, of which only the rows that are seen exist. One stop for the Tab key; arrows move inside. */
export function VirtualList({ label, role, count, active, onActive, onChoose, onKey, row, onWindow }: Props) {
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const [scroll, setScroll] = useState(0);
  const [viewport, setViewport] = useState(0);
  const shape = { count, row: ROW, viewport };
  const { first, last, top } = windowAt(scroll, shape);
  useLayoutEffect(() => {
    const element = place.current!;
    const measure = (): void => setViewport(element.clientHeight);
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  const seen = useRef(onWindow);
  useEffect(() => {
    seen.current = onWindow;
  });
  useEffect(() => seen.current?.(first, last), [first, last]);
  const shown = useRef(active);
  useLayoutEffect(() => {
    const element = place.current!;
    if (shown.current === active || active < 0) return;
    shown.current = active;
    element.scrollTop = scrollTo(active, element.scrollTop, { count, row: ROW, viewport: element.clientHeight });
  }, [active, count]);

  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(viewport / ROW) - 1);
    const to = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: count - 1,
    }[event.key];
    if (to !== undefined) onActive(Math.max(0, Math.min(count - 1, to)));
    else if (event.key === "Enter") onChoose(active);
    else if (onKey?.(event.key, active) !== true) return;
    event.preventDefault();
    event.stopPropagation();
  };

  const rows: ReactNode[] = [];
  for (let index = first; index < last; index++) {
    const { key, content, attributes } = row(index);
    rows.push(
      <div
        key={key}
        id={`${id}-${index}`}
        {...{ role: role === "tree" ? "treeitem" : "option", "aria-selected": index === active }}
        {...{ "aria-setsize": count, "aria-posinset": index + 1, tabIndex: -1 }}
        className="list-row"
        data-index={index}
        {...attributes}
      >
        {content}
      </div>,
    );
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its role is one of two.
    <div
      ref={place}
      className="list"
      {...{ role, "aria-label": label, tabIndex: 0 }}
      {...(active >= first && active < last ? { "aria-activedescendant": `${id}-${active}` } : {})}
      onKeyDown={press}
      onScroll={(event) => setScroll(event.currentTarget.scrollTop)}
      onClick={(event) => {
        const clicked = (event.target as Element).closest<HTMLElement>("[data-index]");
        if (clicked === null) return;
        shown.current = Number(clicked.dataset["index"]);
        onActive(shown.current);
        onChoose(shown.current);
      }}
    >
      <div className="list-content" style={{ height: heightOf(shape) }}>
        <div className="list-window" style={{ transform: `translateY(${top}px)` }}>
          {rows}
        </div>
      </div>
    </div>
  );
}
