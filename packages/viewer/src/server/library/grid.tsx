import {
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { heightOf, scrollTo, windowAt } from "../../inspect/virtual.ts";

/** Pixels of a card at least, and of a row of them with the gap below; also in library.css. */
const WIDTH = 236;
const GAP = 14;
const ROW = 268;

export interface GridHandle {
  /** Gives the focus to the card that had it last. */
  focus(): void;
}

/** How keys select cards. */
export interface GridSelection {
  readonly toggle: (index: number) => void;
  readonly extend: (from: number, to: number) => void;
  readonly all: () => void;
  readonly clear: () => void;
}

/**
 * Cards in as many columns as there is room for; only those that are seen exist. Arrows go from one to another; with Shift
 * they select, as Space, Ctrl+A and Escape do.
 */
export function Grid({
  label,
  count,
  keyOf,
  card,
  selection,
  onNearEnd,
  handle,
}: {
  readonly label: string;
  readonly count: number;
  readonly keyOf: (index: number) => string;
  readonly card: (index: number, tabIndex: number) => ReactNode;
  readonly selection: GridSelection;
  /** The last rows are in sight. */
  readonly onNearEnd: () => void;
  readonly handle: Ref<GridHandle>;
}) {
  const place = useRef<HTMLDivElement>(null);
  const [scroll, setScroll] = useState(0);
  const [{ width, height }, setSize] = useState({ width: 0, height: 0 });
  const [active, setActive] = useState(0);
  const toFocus = useRef<number | null>(null);
  const focusWanted = (): void => {
    if (toFocus.current === null) return;
    const link = place.current!.querySelector<HTMLElement>(`[data-index="${toFocus.current}"] a`);
    if (link === null) return;
    toFocus.current = null;
    link.focus({ preventScroll: true });
  };
  useLayoutEffect(() => {
    const element = place.current!;
    const measure = (): void => {
      const style = getComputedStyle(element);
      const inner = element.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
      setSize({ width: inner, height: element.clientHeight });
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  const columns = Math.max(1, Math.floor((width + GAP) / (WIDTH + GAP)));
  const shape = { count: Math.ceil(count / columns), row: ROW, viewport: height };
  const { first, last, top } = windowAt(scroll, shape);
  const near = useRef(onNearEnd);
  useEffect(() => {
    near.current = onNearEnd;
  });
  useEffect(() => {
    if (height > 0 && last >= shape.count - 1) near.current();
  }, [height, last, shape.count]);

  const [begin, end] = [first * columns, Math.min(count, last * columns)];
  const tabbed = active >= begin && active < end ? active : begin;
  const focus = (index: number): void => {
    const element = place.current!;
    toFocus.current = index;
    setActive(index);
    element.scrollTop = scrollTo(Math.floor(index / columns), element.scrollTop, shape);
    setScroll(element.scrollTop);
    focusWanted();
  };
  useImperativeHandle(handle, () => ({ focus: () => count > 0 && focus(Math.min(active, count - 1)) }));
  // when the card is there that was scrolled to
  useLayoutEffect(focusWanted);

  const press = (event: KeyboardEvent): void => {
    const isOnCard = (event.target as Element).matches("a");
    if (event.altKey || !isOnCard) return;
    if (event.ctrlKey || event.metaKey) {
      if (event.key !== "a") return;
      event.preventDefault();
      selection.all();
      return;
    }
    if (event.key === " ") {
      event.preventDefault();
      selection.toggle(active);
      return;
    }
    if (event.key === "Escape") selection.clear();
    const rows = Math.max(1, Math.floor(height / ROW));
    const to = {
      ArrowRight: active + 1,
      ArrowLeft: active - 1,
      ArrowDown: active + columns,
      ArrowUp: active - columns,
      PageDown: active + rows * columns,
      PageUp: active - rows * columns,
      Home: 0,
      End: count - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(count - 1, to));
    if (event.shiftKey) selection.extend(active, next);
    focus(next);
  };

  const cards: ReactNode[] = [];
  for (let index = begin; index < end; index++) {
    cards.push(
      <li key={keyOf(index)} data-index={index} aria-setsize={count} aria-posinset={index + 1}>
        {card(index, index === tabbed ? 0 : -1)}
      </li>,
    );
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys go from link to link inside
    <div
      ref={place}
      className="grid"
      onScroll={(event) => setScroll(event.currentTarget.scrollTop)}
      onKeyDown={press}
      onFocus={(event) => {
        const found = event.target.closest<HTMLElement>("[data-index]");
        if (found !== null) setActive(Number(found.dataset["index"]));
      }}
    >
      <div className="grid-content" style={{ height: heightOf(shape) }}>
        <ul
          className="grid-window"
          aria-label={label}
          style={{ transform: `translateY(${top}px)`, gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
        >
          {cards}
        </ul>
      </div>
    </div>
  );
}
