import { useCallback, useEffect, useRef, useState } from "react";
import { useSession } from "../hooks.ts";
import type { Ask, Exported } from "../protocol.ts";

/** A file to be downloaded. */
export interface Download {
  readonly name: string;
  readonly bytes: number;
  readonly address: string;
}

export type Exporting =
  | { readonly phase: "idle" }
  | { readonly phase: "running" /** 0 to 1; null: not known yet. */; readonly part: number | null }
  | { readonly phase: "done"; readonly made: Exported; readonly downloads: readonly Download[] }
  | { readonly phase: "failed"; readonly message: string };

/** Milliseconds that a browser may take to begin a download. */
const GRACE = 60_000;

/** An export in the worker. It is cancelled, and its files are let go, when the component goes. */
export function useExport(): {
  readonly exporting: Exporting;
  readonly begin: (ask: Ask<"export">) => void;
  readonly cancel: () => void;
} {
  const session = useSession();
  const [exporting, setExporting] = useState<Exporting>({ phase: "idle" });
  const running = useRef<AbortController | null>(null);
  const addresses = useRef<string[]>([]);
  const forget = useCallback((): void => {
    const old = addresses.current;
    addresses.current = [];
    setTimeout(() => {
      for (const address of old) URL.revokeObjectURL(address);
    }, GRACE);
  }, []);
  const cancel = (): void => {
    running.current?.abort();
    running.current = null;
    setExporting({ phase: "idle" });
  };
  useEffect(
    () => () => {
      running.current?.abort();
      forget();
    },
    [forget],
  );
  const begin = (ask: Ask<"export">): void => {
    running.current?.abort();
    forget();
    const controller = new AbortController();
    running.current = controller;
    const show = (next: Exporting): void => {
      if (running.current === controller) setExporting(next);
    };
    show({ phase: "running", part: null });
    session
      .query("export", ask, {
        signal: controller.signal,
        onProgress: ({ done, total }) => show({ phase: "running", part: total === null ? null : done / total }),
      })
      .then((made) => {
        if (controller.signal.aborted) return;
        const downloads = made.files.map(({ name, blob }) => ({
          name,
          bytes: blob.size,
          address: URL.createObjectURL(blob),
        }));
        addresses.current = downloads.map(({ address }) => address);
        const [only, ...others] = downloads;
        // a browser asks before a page may download several
        if (only !== undefined && others.length === 0) download(only);
        show({ phase: "done", made, downloads });
      })
      .catch((error: unknown) => {
        if (controller.signal.aborted) return;
        show({ phase: "failed", message: error instanceof Error ? error.message : String(error) });
      });
  };
  return { exporting, begin, cancel };
}

function download({ name, address }: Download): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
}
