import { lazy, Suspense, useEffect, useState } from "react";
import { useSession } from "../hooks.ts";
import { COMMANDS, type Command, keyOf } from "./commands.ts";

const KeySheet = lazy(async () => ({ default: (await import("./key-sheet.tsx")).KeySheet }));

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
  if (shown === null) return null;
  return (
    <Suspense>
      <KeySheet kind={shown} commands={[...COMMANDS, ...extra]} onClose={() => setShown(null)} />
    </Suspense>
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
