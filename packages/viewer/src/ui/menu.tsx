import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";

/** A button that opens a list of choices below it, by the browser's own popover. */
export function Menu({
  label,
  children,
  onNear,
}: {
  readonly label: ReactNode;
  readonly children: ReactNode;
  /** Called when it may soon be opened, for choices that are loaded then. */
  readonly onNear?: () => void;
}) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  return (
    <>
      <button
        ref={button}
        type="button"
        className="button button-plain"
        popoverTarget={id}
        aria-haspopup="menu"
        onPointerEnter={onNear}
        onFocus={onNear}
      >
        {label}
      </button>
      <div
        ref={list}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        className="menu"
        onKeyDown={(event) => moveFocus(event, list.current!)}
        onClick={(event) => {
          if ((event.target as Element).closest("[role^=menuitem]") !== null) list.current?.hidePopover();
        }}
        onToggle={(event) => {
          if (event.newState === "closed" || button.current === null || list.current === null) return;
          placeBelow(list.current, button.current);
          itemsOf(list.current)[0]?.focus();
        }}
      >
        {children}
      </div>
    </>
  );
}

export function MenuItem({
  children,
  onSelect,
  isChecked,
  isDisabled = false,
}: {
  readonly children: ReactNode;
  readonly onSelect: () => void;
  /** Absent: the item is no switch. */
  readonly isChecked?: boolean;
  readonly isDisabled?: boolean;
}) {
  if (isChecked === undefined) {
    return (
      <button type="button" role="menuitem" className="menu-item" disabled={isDisabled} onClick={onSelect}>
        {children}
      </button>
    );
  }
  return (
    <button type="button" role="menuitemcheckbox" aria-checked={isChecked} className="menu-item" onClick={onSelect}>
      {children}
    </button>
  );
}

function placeBelow(list: HTMLElement, button: HTMLElement): void {
  const { left, bottom, top } = button.getBoundingClientRect();
  const { width, height } = list.getBoundingClientRect();
  const isRoom = bottom + height + 4 <= innerHeight;
  list.style.left = `${Math.max(4, Math.min(left, innerWidth - width - 4))}px`;
  list.style.top = `${isRoom ? bottom + 4 : Math.max(4, top - height - 4)}px`;
}

function moveFocus(event: KeyboardEvent, list: HTMLElement): void {
  const items = itemsOf(list);
  const here = items.indexOf(document.activeElement as HTMLElement);
  const to = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: -1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  items.at(to % items.length)?.focus();
}

function itemsOf(list: HTMLElement): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>("[role^=menuitem]:enabled")];
}
