import { useState } from "react";
import { useSession } from "../../hooks.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { beginningOf, isAlone } from "./embedding.ts";
import { Snippets } from "./snippets.tsx";

/** How another page, or a notebook, shows what is shown here. */
export function EmbedDialog({ onClose }: { readonly onClose: () => void }) {
  const session = useSession();
  const [{ beginning, time }] = useState(() => ({
    beginning: beginningOf(session),
    time: Math.round((session.time ?? 0) / 1e6) / 1e3,
  }));
  return (
    <Dialog title="Embed" onClose={onClose}>
      <h2>Show this recording in another page</h2>
      {isAlone(session) && (
        <p role="status">
          This recording is for this machine alone. Put it on a web server, with the files of the viewer beside it (the
          folder <code>dist</code> of the package <code>simtape-viewer</code>). Then replace{" "}
          <code>https://example.org/simtape/</code>.
        </p>
      )}
      <Snippets beginning={beginning} time={time} />
    </Dialog>
  );
}
