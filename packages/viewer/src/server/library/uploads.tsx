import { type DragEvent, type ReactNode, useCallback, useRef, useState } from "react";
import { chosenFiles } from "../../open/choose.ts";
import { droppedFiles } from "../../open/files.ts";
import { sizeText } from "../../size.ts";
import { Button } from "../../ui/button.tsx";
import { messageOf } from "../api.ts";

/** A file on its way into the library. */
interface Sending {
  readonly id: number;
  readonly file: File;
  readonly batch: string;
  /** Of a file that shows a world: those of its recording, which are sent before it. */
  readonly of: readonly File[] | null;
  readonly sent: number;
  readonly state: "waiting" | "sending" | "done" | "failed";
  readonly message: string | null;
}

export interface Uploads {
  readonly list: readonly Sending[];
  readonly add: (files: readonly File[]) => Promise<void>;
  /** Lets the user choose files. */
  readonly choose: () => Promise<void>;
  readonly cancel: (id: number) => void;
  readonly retry: (id: number) => void;
  /** Takes what is over out of the list. */
  readonly clear: () => void;
}

/**
 * Sends files one after another: the two of a pair arrive together, and none waits for all. What shows the world of a
 * recording comes after it.
 */
export function useUploads(onArrived: () => void): Uploads {
  const [list, setList] = useState<readonly Sending[]>([]);
  const queue = useRef<Sending[]>([]);
  const running = useRef<{ readonly id: number; readonly controller: AbortController } | null>(null);
  const count = useRef(0);
  /** Where the files of recordings were sent to. */
  const sentTo = useRef(new Map<File, string>());

  const change = useCallback((id: number, changes: Partial<Sending>): void => {
    setList((before) => before.map((one) => (one.id === id ? { ...one, ...changes } : one)));
  }, []);
  const work = useCallback(async (): Promise<void> => {
    if (running.current !== null) return;
    for (let next = queue.current.shift(); next !== undefined; next = queue.current.shift()) {
      const { id, file, batch, of } = next;
      const controller = new AbortController();
      running.current = { id, controller };
      change(id, { state: "sending", message: null });
      try {
        if (of !== null) await accompany(file, of, sentTo.current, controller.signal);
        else {
          const { upload } = await import("./upload.ts");
          const onProgress = (sent: number): void => change(id, { sent });
          sentTo.current.set(file, await upload(file, batch, onProgress, controller.signal));
        }
        change(id, { state: "done" });
        onArrived();
      } catch (error) {
        if (controller.signal.aborted) setList((before) => before.filter((one) => one.id !== id));
        else change(id, { state: "failed", message: messageOf(error) });
      }
    }
    running.current = null;
  }, [change, onArrived]);
  const add = useCallback(
    async (dropped: readonly File[]): Promise<void> => {
      if (dropped.length === 0) return;
      // `randomUUID` needs https
      const batch = Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("");
      const { sorted } = await import("./companion-uploads.ts");
      const { files, companions } = sorted(dropped);
      const all = [...files.map((file) => ({ file, of: null })), ...companions];
      const added = all.map((one): Sending => {
        return { id: ++count.current, ...one, batch, sent: 0, state: "waiting", message: null };
      });
      setList((before) => [...before, ...added]);
      queue.current.push(...added);
      void work();
    },
    [work],
  );
  return {
    list,
    add,
    choose: async () => add(await chosenFiles()),
    cancel: (id) => {
      queue.current = queue.current.filter((one) => one.id !== id);
      if (running.current?.id === id) running.current.controller.abort();
      else setList((before) => before.filter((one) => one.id !== id));
    },
    retry: (id) => {
      const again = list.find((one) => one.id === id);
      if (again === undefined) return;
      change(id, { state: "waiting", message: null });
      queue.current.push(again);
      void work();
    },
    clear: () => setList((before) => before.filter(({ state }) => state === "waiting" || state === "sending")),
  };
}

/** Sends a file that shows the world of the recording that these files are. */
async function accompany(
  file: File,
  of: readonly File[],
  sentTo: ReadonlyMap<File, string>,
  signal: AbortSignal,
): Promise<void> {
  if (of.length === 0) throw new Error("It shows the world of a recording: drop it together with that one alone");
  const uploads = of.flatMap((one) => sentTo.get(one) ?? []);
  if (uploads.length === 0) throw new Error("Its recording has not arrived");
  const { recordingAt, sendCompanion } = await import("./companion-uploads.ts");
  await sendCompanion(await recordingAt(uploads, signal), file, signal);
}

/** Where files can be dropped, with those that are on their way. */
export function UploadPlace({ uploads, children }: { readonly uploads: Uploads; readonly children: ReactNode }) {
  const [isOver, setOver] = useState(false);
  const hasFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes("Files");
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files can be chosen by a button too
    <div
      className="drop-zone"
      data-over={isOver || undefined}
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = "copy";
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (event.currentTarget === event.target || event.relatedTarget === null) setOver(false);
      }}
      onDrop={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(false);
        void droppedFiles(event.dataTransfer).then(uploads.add);
      }}
    >
      {children}
      {isOver && <div className="drop-note">Drop to put it into the library</div>}
      {uploads.list.length > 0 && <UploadList uploads={uploads} />}
    </div>
  );
}

function UploadList({ uploads: { list, cancel, retry, clear } }: { readonly uploads: Uploads }) {
  const open = list.filter(({ state }) => state === "waiting" || state === "sending").length;
  return (
    <section className="uploads" aria-label="Uploads">
      <div className="uploads-head">
        <b role="status">{open > 0 ? `${open} on the way` : "All uploads are over"}</b>
        <span className="spring" />
        {open < list.length && (
          <Button kind="bare" onClick={clear}>
            Clear
          </Button>
        )}
      </div>
      <ul>
        {list.map(({ id, file, sent, state, message }) => (
          <li key={id} data-state={state}>
            <span className="uploads-name" title={file.name}>
              {file.name}
            </span>
            <small>{state === "done" ? "arrived" : state === "failed" ? "failed" : sizeText(file.size)}</small>
            {state === "failed" && <Button onClick={() => retry(id)}>Try again</Button>}
            {state !== "done" && (
              <Button kind="bare" label={`Cancel ${file.name}`} onClick={() => cancel(id)}>
                ✕
              </Button>
            )}
            {state === "sending" && (
              <progress aria-label={`Sent of ${file.name}`} max={Math.max(1, file.size)} value={sent} />
            )}
            {message !== null && (
              <p role="alert" className="wrong">
                {message}
              </p>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
