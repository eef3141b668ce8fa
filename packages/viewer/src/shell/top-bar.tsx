import type { DockviewApi } from "dockview";
import { useContext, useState } from "react";
import { exportShown } from "../export/shown.ts";
import { useObservable, useSession, useViewer } from "../hooks.ts";
import { ShownContext } from "../live/shown.ts";
import { pickFiles } from "../open/pick.ts";
import { PANELS } from "../panels.ts";
import { choose, scheme } from "../theme.ts";
import { Button } from "../ui/button.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import type { DialogKind } from "./dialogs.tsx";
import { showPanel } from "./layout/layout.ts";
import { PlaceContext } from "./layout/place.ts";
import { videoShown } from "../video/shown.ts";
import { late } from "../ui/late.tsx";

const LiveBadge = late(async () => (await import("../live/live-badge.tsx")).LiveBadge);
const LayoutItems = late(async () => (await import("./layout/layout-items.tsx")).LayoutItems);
const ShareItems = late(async () => (await import("./sharing/share-items.tsx")).ShareItems);
const UnitsItems = late(async () => (await import("./units-items.tsx")).UnitsItems);
const BarDialog = late(async () => (await import("./dialogs.tsx")).BarDialog);
const ExportDialog = late(async () => (await import("../export/export-dialog.tsx")).ExportDialog);
const VideoDialog = late(async () => (await import("../video/video-dialog.tsx")).VideoDialog);

/** What is open, what is wrong with it, and what can be opened beside it. */
export function TopBar({ dock }: { readonly dock: DockviewApi | null }) {
  const session = useSession();
  const main = useViewer((state) => state.decks[0]);
  const ghosts = useViewer((state) => state.decks.length - 1);
  const opening = useViewer((state) => state.opening);
  const isDark = useObservable(scheme, (value) => value === "dark");
  const [isNear, setNear] = useState(false);
  const [dialog, setDialog] = useState<DialogKind | null>(null);
  const close = (): void => setDialog(null);
  const isExporting = useObservable(exportShown, (value) => value);
  const isFilming = useObservable(videoShown, (value) => value);
  const place = useContext(PlaceContext);
  const shown = useContext(ShownContext);
  return (
    <header className="top-bar">
      {place?.back ?? (
        <button type="button" className="brand" title="Close this recording" onClick={() => void session.close()}>
          <img src="./icon.svg" alt="" width={20} height={20} /> simtape
        </button>
      )}
      <h1>{place?.name ?? shown.name ?? main?.place.name}</h1>
      <span className="badge">{main?.opened.info.format}</span>
      {/* what is not committed yet is no damage */}
      {shown.live === null && <Findings dock={dock} />}
      {opening !== null && (
        <span className="faint" role="status">
          Reading {opening.place.name}
          {opening.total === null ? "" : ` ${Math.round((100 * opening.done) / Math.max(1, opening.total))} %`} …
        </span>
      )}
      <div className="top-actions">
        {shown.live !== null && <LiveBadge live={shown.live} />}
        {place?.actions ?? (
          <Menu label="Open">
            <MenuItem onSelect={() => void pickFiles(session, "files")}>Files …</MenuItem>
            <MenuItem onSelect={() => void pickFiles(session, "folder")}>A folder …</MenuItem>
            <MenuItem onSelect={() => void session.close()}>Close, and choose another</MenuItem>
          </Menu>
        )}
        <Button onClick={() => setDialog("ghosts")}>Ghosts{ghosts > 0 ? ` (${ghosts})` : ""}</Button>
        <Menu label="Panels">
          {PANELS.map((kind) => (
            <MenuItem key={kind.id} onSelect={() => dock !== null && showPanel(dock, kind)}>
              {kind.title}
            </MenuItem>
          ))}
        </Menu>
        <Menu label="Layout" onNear={() => setNear(true)}>
          {dock !== null && isNear && <LayoutItems dock={dock} onSaved={() => setDialog("layouts")} />}
        </Menu>
        <Menu label="Units" onNear={() => setNear(true)}>
          {isNear && <UnitsItems />}
        </Menu>
        {place === null && (
          <Menu label="Share" onNear={() => setNear(true)}>
            {isNear && <ShareItems onEmbed={() => setDialog("embed")} />}
          </Menu>
        )}
        <Button onClick={() => exportShown.set(true)}>Export …</Button>
        <Button onClick={() => void import("./sharing/picture.ts").then((it) => it.savePicture(session))}>
          Picture
        </Button>
        <Button onClick={() => videoShown.set(true)}>Video …</Button>
        <Button label={isDark ? "Light colours" : "Dark colours"} onClick={() => choose(isDark ? "light" : "dark")}>
          {isDark ? "☀" : "☾"}
        </Button>
      </div>
      {dialog !== null && <BarDialog kind={dialog} dock={dock} onClose={close} />}
      {isExporting && <ExportDialog onClose={() => exportShown.set(false)} />}
      {isFilming && <VideoDialog onClose={() => videoShown.set(false)} />}
    </header>
  );
}

/** How many, in the colour of the worst; none, when the file is sound. */
function Findings({ dock }: { readonly dock: DockviewApi | null }) {
  const findings = useViewer((state) => state.decks[0]?.opened.findings);
  const listed = findings?.filter(({ severity }) => severity !== "note") ?? [];
  if (listed.length === 0) return null;
  const isBad = listed.some(({ severity }) => severity === "damage" || severity === "loss");
  const info = PANELS.find(({ id }) => id === "info");
  return (
    <button
      type="button"
      className={`badge badge-${isBad ? "damage" : "warning"}`}
      title={listed.map(({ message }) => message).join("\n")}
      onClick={() => dock !== null && info !== undefined && showPanel(dock, info)}
    >
      {listed.length} {listed.length === 1 ? "finding" : "findings"}
    </button>
  );
}
