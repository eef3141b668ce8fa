import { useEffect, useState } from "react";
import { saidIn } from "../said.ts";

/** An entry of what `simtape view` serves. */
export interface Listed {
  readonly name: string;
  /** Relative to the page. */
  readonly url: string;
  readonly bytes: number | null;
  /** Where the server tells more of it, relative to the page; absent: it does not. */
  readonly facts?: string | null;
  /** Of one that a program is recorded into: where the server tells how far it is, relative to the page; null: it has ended. */
  readonly live?: string | null;
}

/** Between two looks at what is there, milliseconds. */
const LOOK_EVERY = 5000;

/** What the server of this page has to show, when it is `simtape view`; else nothing. */
export function useRecordings(): readonly Listed[] {
  const [list, setList] = useState<readonly Listed[]>([]);
  useEffect(() => {
    const address = saidIn("recordings");
    if (address === "") return;
    const controller = new AbortController();
    let seen = "";
    const look = async (): Promise<void> => {
      const text = await (await fetch(address, { signal: controller.signal })).text();
      if (text !== seen) setList(JSON.parse(text) as Listed[]);
      seen = text;
    };
    const lookAgain = (): void => {
      // A page that is not seen need not know.
      if (!document.hidden) look().catch(() => undefined);
    };
    lookAgain();
    const timer = setInterval(lookAgain, LOOK_EVERY);
    return () => {
      clearInterval(timer);
      controller.abort();
    };
  }, []);
  return list;
}
