import type { DockviewApi } from "dockview";
import { useSession, useViewer } from "../hooks.ts";
import { pickFiles } from "../open/pick.ts";
import { PANELS } from "../panels.ts";
import { useStore } from "../store.ts";
import { choose, scheme } from "../theme.ts";
import { Button } from "../ui/button.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { restore, showPanel } from "./layout.ts";

/** What is open, and what can be opened beside it. */
export function TopBar({ dock }: { readonly dock: DockviewApi | null }) {
  const session = useSession();
  const decks = useViewer((state) => state.decks);
  const shownScheme = useStore(scheme, (value) => value);
  return (
    <header className="top-bar">
      <button type="button" className="brand" title="Close this recording" onClick={() => void session.close()}>
        <img src="./icon.svg" alt="" width={20} height={20} /> simtape
      </button>
      <h1>{decks[0]?.place.name}</h1>
      <span className="badge">{decks[0]?.opened.info.format}</span>
      <span className="spring" />
      <Button onClick={() => void pickFiles(session, "files")}>Open …</Button>
      <Menu label="Panels">
        {PANELS.map((kind) => (
          <MenuItem key={kind.id} onSelect={() => dock !== null && showPanel(dock, kind)}>
            {kind.title}
          </MenuItem>
        ))}
        <hr />
        <MenuItem onSelect={() => dock !== null && restore(dock, null)}>Default layout</MenuItem>
      </Menu>
      <Button onClick={() => choose(shownScheme === "dark" ? "light" : "dark")}>
        {shownScheme === "dark" ? "Light" : "Dark"}
      </Button>
    </header>
  );
}
