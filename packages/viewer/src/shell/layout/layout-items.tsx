import type { DockviewApi } from "dockview";
import { useEffect, useState } from "react";
import { changes, changesOf, redo, undo } from "../../changes.ts";
import { useObservable, useSession } from "../../hooks.ts";
import { LateItems } from "../../ui/late-items.tsx";
import { MenuItem } from "../../ui/menu.tsx";
import { PANELS } from "../../panels.ts";
import { showAnother } from "./another.ts";
import { LAYOUT } from "./layout.ts";
import { reset } from "./layout-keeper.ts";
import { layOut, PRESETS, presetsFor } from "./presets.ts";

/** What the menu of layouts has: those for this recording and for any, the first one, those that were saved. */
export function LayoutItems({ dock, onSaved }: { readonly dock: DockviewApi; readonly onSaved: () => void }) {
  const session = useSession();
  const presets = usePresets();
  useObservable(changes, (value) => value);
  const { canUndo, canRedo } = changesOf(session, LAYOUT);
  return (
    <LateItems>
      {presets.map((id) => (
        <MenuItem key={id} onSelect={() => layOut(dock, session, id)}>
          {PRESETS.find((preset) => preset.id === id)?.title}
        </MenuItem>
      ))}
      <hr />
      {PANELS.filter(({ isMany }) => isMany).map((kind) => (
        <MenuItem key={kind.id} onSelect={() => showAnother(dock, session, kind)}>
          Another {kind.title}
        </MenuItem>
      ))}
      <hr />
      <MenuItem onSelect={() => reset(session)}>Default layout</MenuItem>
      <MenuItem onSelect={onSaved}>Saved layouts …</MenuItem>
      <hr />
      <MenuItem isDisabled={!canUndo} onSelect={() => undo(session, LAYOUT)}>
        Undo
      </MenuItem>
      <MenuItem isDisabled={!canRedo} onSelect={() => redo(session, LAYOUT)}>
        Redo
      </MenuItem>
    </LateItems>
  );
}

/** Those that suit what the recording has now. */
function usePresets(): readonly string[] {
  const session = useSession();
  const [text, setText] = useState(() => presetsFor(session.frame?.recorded ?? null).join(" "));
  useEffect(() => session.onFrame(({ recorded }) => setText(presetsFor(recorded).join(" "))), [session]);
  return text.split(" ");
}
