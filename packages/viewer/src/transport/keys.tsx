import { lazy, Suspense, useEffect, useState } from "react";
import { useSession } from "../hooks.ts";
import { choose, scheme } from "../theme.ts";
import { COMMANDS, type Command } from "./commands.ts";
import { listenForKeys } from "./listen.ts";

const KeySheet = lazy(async () => ({ default: (await import("./key-sheet.tsx")).KeySheet }));

/** Those of every page of a recording. */
const OF_PAGE: readonly Command[] = [
  ...COMMANDS,
  {
    title: "Light or dark",
    keys: ["Shift+D"],
    run: () => choose(scheme.value === "dark" ? "light" : "dark"),
  },
];

/** Listens for the keys of all commands, and shows the help sheet and the palette. `extra` are commands of what is shown. */
export function Keys({ extra }: { readonly extra: readonly Command[] }) {
  const session = useSession();
  const [shown, setShown] = useState<"help" | "palette" | null>(null);
  useEffect(
    () =>
      listenForKeys(window, session, [...OF_PAGE, ...extra], (key, isTyping) => {
        const isDialog = document.querySelector("dialog[open]") !== null;
        const sheet = key === "Ctrl+k" && !isDialog ? "palette" : key === "?" && !isTyping ? "help" : null;
        if (sheet !== null) setShown(sheet);
        return sheet !== null;
      }),
    [session, extra],
  );
  if (shown === null) return null;
  return (
    <Suspense>
      <KeySheet kind={shown} commands={[...OF_PAGE, ...extra]} onClose={() => setShown(null)} />
    </Suspense>
  );
}
