import type { Session } from "../session.ts";
import { type Command, keyOf } from "./commands.ts";

/**
 * Runs commands by the keys that are pressed in `target`, until the function given back is called. `takes` gets what is no
 * key of theirs, and what is pressed in a text, but not again while it is held; true: it has used the key.
 */
export function listenForKeys(
  target: Window | HTMLElement,
  session: Session,
  commands: readonly Command[],
  takes: (key: string, isTyping: boolean) => boolean = () => false,
): () => void {
  let hasSpace = false;
  let isByKeyboard = false;
  const removals = new AbortController();
  const listen = <K extends "focusin" | "keydown" | "keyup">(
    kind: K,
    hear: (event: HTMLElementEventMap[K]) => void,
  ): void => target.addEventListener(kind, hear as EventListener, { signal: removals.signal });
  listen("focusin", (event) => {
    isByKeyboard = event.target instanceof Element && event.target.matches(":focus-visible");
  });
  listen("keydown", (event) => {
    if (event.defaultPrevented) return;
    const key = keyOf(event);
    const isText = isTyping(event, isByKeyboard);
    const command = isText ? undefined : commands.find(({ keys }) => keys.includes(key));
    if (command === undefined && (event.repeat || !takes(key, isText))) return;
    if (!event.repeat || command?.repeats === true) command?.run(session);
    event.preventDefault();
    hasSpace = key === " ";
  });
  // Some browsers press a button when the space bar is let go.
  listen("keyup", (event) => {
    if (hasSpace && event.key === " ") event.preventDefault();
    hasSpace = false;
  });
  return () => removals.abort();
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
