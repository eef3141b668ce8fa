import type { DockviewApi } from "dockview";
import { EmbedDialog } from "./sharing/embed-dialog.tsx";
import { GhostDialog } from "./ghost-dialog.tsx";
import { LayoutDialog } from "./layout/layout-dialog.tsx";

export type DialogKind = "ghosts" | "layouts" | "embed";

/** The dialogs of the bar, which are loaded with the first of them. */
export function BarDialog({
  kind,
  dock,
  onClose,
}: {
  readonly kind: DialogKind;
  readonly dock: DockviewApi | null;
  readonly onClose: () => void;
}) {
  if (kind === "embed") return <EmbedDialog onClose={onClose} />;
  if (kind === "ghosts") return <GhostDialog onClose={onClose} />;
  return dock === null ? null : <LayoutDialog dock={dock} onClose={onClose} />;
}
