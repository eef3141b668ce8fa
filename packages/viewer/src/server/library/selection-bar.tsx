import "./selection.css";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { at } from "../api.ts";
import { useMe } from "../me.tsx";
import { go } from "../route.tsx";
import { hasRole, type Item } from "../shapes.ts";
import { CollectDialog } from "./collect-dialog.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { ExportDialog } from "./export-dialog.tsx";
import type { Selection } from "./use-selection.ts";

/** What can be done with the recordings that are selected. */
export function SelectionBar({
  selection,
  onChange,
}: {
  readonly selection: Selection;
  /** Something of the recordings was changed. */
  readonly onChange: () => void;
}) {
  const me = useMe();
  /** What the dialog is about: the selection changes while recordings are deleted. */
  const [asked, setAsked] = useState<{ readonly what: "collect" | "export" | "delete"; items: readonly Item[] } | null>(
    null,
  );
  const { items } = selection;
  const [one, other] = items;
  const isStaff = hasRole(me, "staff");
  const close = (): void => {
    setAsked(null);
    onChange();
  };
  const begin = (what: "collect" | "export" | "delete"): void => setAsked({ what, items });
  return (
    <>
      {items.length > 0 && (
        <div className="selection-bar" role="toolbar" aria-label="Selected recordings">
          <b role="status">{items.length.toLocaleString()} selected</b>
          <Button
            disabled={items.length !== 2}
            title={items.length === 2 ? undefined : "Select two recordings"}
            onClick={() => go(at(`r/${one!.id}?ghost=${other!.id}`))}
          >
            Compare
          </Button>
          {isStaff && <Button onClick={() => begin("collect")}>Collect …</Button>}
          <Button onClick={() => begin("export")}>Export …</Button>
          {isStaff && <Button onClick={() => begin("delete")}>Delete …</Button>}
          <Button kind="bare" label="Select none" onClick={selection.clear}>
            ✕
          </Button>
        </div>
      )}
      {asked?.what === "collect" && <CollectDialog items={asked.items} onClose={close} />}
      {asked?.what === "export" && <ExportDialog items={asked.items} onClose={close} />}
      {asked?.what === "delete" && <DeleteDialog items={asked.items} onClose={close} />}
    </>
  );
}
