import { useCallback, useEffect, useRef, useState } from "react";
import { useSession } from "../hooks.ts";
import { type FilmOptions, type Filmed, film } from "./film.ts";
import { canChooseFile, chooseFile, ownFile } from "./sink.ts";

export type Filming =
  | { readonly phase: "idle" }
  | {
      readonly phase: "running";
      readonly done: number;
      readonly total: number;
      /** Seconds until it is done, as it looks; null: not known yet. */
      readonly left: number | null;
      readonly canvas: HTMLCanvasElement | null;
    }
  | {
      readonly phase: "done";
      readonly made: Filmed;
      readonly name: string;
      /** Of a file to be downloaded; null: it is in the file that was chosen. */
      readonly address: string | null;
    }
  | { readonly phase: "failed"; readonly message: string };

/** Milliseconds that a browser may take to begin a download. */
const GRACE = 60_000;

/** A video that is being made. It is called off when the component goes. */
export function useFilm(): {
  readonly filming: Filming;
  /** Writes into a file that the user chooses, where the browser offers that and `isAsked`. */
  readonly begin: (options: FilmOptions, name: string, isAsked?: boolean) => Promise<void>;
  readonly cancel: () => void;
} {
  const session = useSession();
  const [filming, setFilming] = useState<Filming>({ phase: "idle" });
  const running = useRef<AbortController | null>(null);
  const address = useRef<string | null>(null);
  const forget = useCallback((): void => {
    const old = address.current;
    address.current = null;
    if (old !== null) setTimeout(() => URL.revokeObjectURL(old), GRACE);
  }, []);
  useEffect(
    () => () => {
      running.current?.abort();
      forget();
    },
    [forget],
  );
  const cancel = (): void => {
    running.current?.abort();
    running.current = null;
    setFilming({ phase: "idle" });
  };
  const begin = async (options: FilmOptions, name: string, isAsked = true): Promise<void> => {
    running.current?.abort();
    forget();
    const controller = new AbortController();
    running.current = controller;
    const show = (next: Filming): void => {
      if (running.current === controller) setFilming(next);
    };
    try {
      const sink = isAsked && canChooseFile() ? await chooseFile(name) : await ownFile();
      if (sink === null) return;
      show({ phase: "running", done: 0, total: 0, left: null, canvas: null });
      const started = performance.now();
      const made = await film(session, options, sink, controller.signal, ({ done, total, canvas }) => {
        const left = ((performance.now() - started) / 1000 / done) * (total - done);
        show({ phase: "running", done, total, left, canvas });
      });
      const isChosen = isAsked && canChooseFile();
      if (made.file !== null && !isChosen) {
        address.current = URL.createObjectURL(made.file);
        download(address.current, name);
      }
      show({ phase: "done", made, name, address: address.current });
    } catch (error) {
      if (controller.signal.aborted) return;
      show({ phase: "failed", message: error instanceof Error ? error.message : String(error) });
    }
  };
  return { filming, begin, cancel };
}

function download(href: string, name: string): void {
  const link = document.createElement("a");
  link.href = href;
  link.download = name;
  link.click();
}
