import { useEffect, useMemo, useRef, useState } from "react";
import { useSession } from "../hooks.ts";
import { COMMANDS, type Command } from "./commands.ts";
import { listenForKeys } from "./listen.ts";
import { late } from "../ui/late.tsx";

const KeySheet = late(async () => (await import("./key-sheet.tsx")).KeySheet);

/**
 * Listens for the keys of all commands, and shows the help sheet and the palette. `extra` are commands of what is shown,
 * `later` those that are loaded later, none until then: what may be a key of theirs is run when they are there.
 */
export function Keys({ extra, later }: { readonly extra: readonly Command[]; readonly later: readonly Command[] }) {
  const session = useSession();
  const [shown, setShown] = useState<"help" | "palette" | null>(null);
  const waiting = useRef<string[]>([]);
  const commands = useMemo(() => [...COMMANDS, ...extra, ...later], [extra, later]);
  useEffect(() => {
    if (later.length > 0)
      for (const key of waiting.current.splice(0)) later.find(({ keys }) => keys.includes(key))?.run(session);
    return listenForKeys(window, session, commands, (key, isTyping) => {
      const isDialog = document.querySelector("dialog[open]") !== null;
      const sheet = key === "Ctrl+k" && !isDialog ? "palette" : key === "?" && !isTyping ? "help" : null;
      if (sheet !== null) setShown(sheet);
      else if (later.length === 0 && !isTyping) waiting.current.push(key);
      return sheet !== null;
    });
  }, [session, commands, later]);
  if (shown === null) return null;
  return <KeySheet kind={shown} commands={commands} onClose={() => setShown(null)} />;
}
