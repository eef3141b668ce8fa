import type { DockviewApi } from "dockview";
import { useState } from "react";
import { useSession } from "../../hooks.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { pack } from "./keep-layout.ts";
import { unpack } from "./kept-layout.ts";
import { restore } from "./layout.ts";
import { saveLayout, savedLayouts } from "./saved-layouts.ts";

/** Layouts by name: keep the one there is, go to another, forget one. */
export function LayoutDialog({ dock, onClose }: { readonly dock: DockviewApi; readonly onClose: () => void }) {
  const session = useSession();
  const [name, setName] = useState("");
  const [layouts, setLayouts] = useState(savedLayouts);
  const save = (as: string, layout: unknown): void => {
    if (!saveLayout(as, layout)) session.tell("This browser does not let this page save layouts");
    setLayouts(savedLayouts());
  };
  return (
    <Dialog title="Layouts" onClose={onClose}>
      <h2>Layouts</h2>
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== "") save(name.trim(), pack(session, dock.toJSON()));
          setName("");
        }}
      >
        <input
          className="field"
          aria-label="Name of the layout"
          placeholder="Save this layout as …"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <button type="submit" className="button button-main" disabled={name.trim() === ""}>
          Save
        </button>
      </form>
      {Object.entries(layouts).map(([saved, layout]) => (
        <div className="row" key={saved}>
          <button
            type="button"
            className="menu-item"
            onClick={() => {
              restore(dock, unpack(session, layout));
              onClose();
            }}
          >
            {saved}
          </button>
          <Button kind="bare" label={`Delete ${saved}`} onClick={() => save(saved, undefined)}>
            ✕
          </Button>
        </div>
      ))}
    </Dialog>
  );
}
