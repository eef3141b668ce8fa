import { type DragEvent, type ReactNode, useCallback, useRef, useState } from "react";
import { droppedFiles } from "../../open/files.ts";
import { sizeText } from "../../size.ts";
import { Button } from "../../ui/button.tsx";
import { messageOf } from "../api.ts";

/** A file on its way into the library. */
interface Sending {
  readonly id: number;
  readonly file: File;
  readonly batch: string;
  readonly sent: number;
  readonly state: "waiting" | "sending" | "done" | "failed";
  readonly message: string | null;
}

export interface Uploads {
  readonly list: readonly Sending[];
  readonly add: (files: readonly File[]) => void;
  /** Lets the user choose files. */
  readonly choose: () => Promise<void>;
  readonly cancel: (id: number) => void;
  readonly retry: (id: number) => void;
  /** Takes what is over out of the list. */
  readonly clear: () => void;
}

/** Sends files one after another: the two of a pair arrive together, and none waits for all. */
export function useUploads(onArrived: () => void): Uploads {
  const [list, setList] = useState<readonly Sending[]>([]);
  const queue = useRef<Sending[]>([]);
  const running = useRef<{ readonly id: number; readonly controller: AbortController } | null>(null);
  const count = useRef(0);

  const change = useCallback((id: number, changes: Partial<Sending>): void => {
    setList((before) => before.map((one) => (one.id === id ? { ...one, ...changes } : one)));
  }, []);
  const work = useCallback(async (): Promise<void> => {
    if (running.current !== null) return;
    for (let next = queue.current.shift(); next !== undefined; next = queue.current.shift()) {
      const { id, file, batch } = next;
      const controller = new AbortController();
      running.current = { id, controller };
      change(id, { state: "sending", message: null });
      try {
        const { upload } = await import("./upload.ts");
        await upload(file, batch, (sent) => change(id, { sent }), controller.signal);
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
    (files: readonly File[]): void => {
      // `randomUUID` needs https
      const batch = Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("");
      const added = files.map((file) => ({
        ...{ id: ++count.current, file, batch, sent: 0, state: "waiting", message: null },
      })) as Sending[];
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

function chosenFiles(): Promise<readonly File[]> {
  const input = document.createElement("input");
  input.type = "file";
  input.multiple = true;
  const chosen = new Promise<readonly File[]>((resolve) => {
    input.addEventListener("change", () => resolve([...(input.files ?? [])]), { once: true });
    input.addEventListener("cancel", () => resolve([]), { once: true });
  });
  input.click();
  return chosen;
}
