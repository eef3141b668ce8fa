import { type DragEvent, type ReactNode, useState } from "react";
import { useSession } from "../hooks.ts";
import { droppedFiles } from "./files.ts";

/** The whole page takes files and folders. The first recording among them is opened, with Shift all of them as ghosts. */
export function DropZone({ children }: { readonly children: ReactNode }) {
  const session = useSession();
  const [isOver, setOver] = useState(false);
  const hasFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes("Files");
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is dropped can be opened by button and address too
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
        const as = event.shiftKey && session.state.value.decks.length > 0 ? "ghosts" : "main";
        void droppedFiles(event.dataTransfer).then(async (files) =>
          (await import("./open-files.ts")).openFiles(session, files, as),
        );
      }}
    >
      {children}
      {isOver && <div className="drop-note">Drop to open · with Shift: add as ghost</div>}
    </div>
  );
}
