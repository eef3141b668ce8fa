import type { Selection } from "../session.ts";
import { Button } from "../ui/button.tsx";
import type { CameraMode } from "./camera-rig.ts";
import type { Thing } from "./scene-view.ts";

const MODES: readonly { readonly mode: CameraMode; readonly text: string; readonly label: string }[] = [
  { mode: "orbit", text: "Orbit", label: "Camera: turn about a point" },
  { mode: "follow", text: "Follow", label: "Camera: go along with what is selected" },
  { mode: "top", text: "Top", label: "Camera: look down" },
  { mode: "first-person", text: "First person", label: "Camera: look out of what is selected" },
];

const TOGGLES = [
  { shown: "labels", text: "Names", label: "Names of things" },
  { shown: "trails", text: "Trails", label: "Where things were and go" },
  { shown: "readings", text: "Readings", label: "Numbers of what is looked at" },
] as const satisfies readonly Toggle[];

/** Where there is a world. */
const OF_WORLD = [
  { shown: "world", text: "World", label: "Blocks of the world that it was made in" },
  { shown: "cut", text: "Cut", label: "Cut the world above the players" },
] as const satisfies readonly Toggle[];

interface Toggle {
  readonly shown: Exclude<keyof Shown, "mode">;
  readonly text: string;
  readonly label: string;
}

interface Shown {
  readonly mode: CameraMode;
  readonly labels: boolean;
  readonly trails: boolean;
  readonly readings: boolean;
  readonly world: boolean;
  readonly cut: boolean;
}

/** Above the scene: the camera, what is followed, and what is drawn beside the things. */
export function SceneBar({
  settings,
  hasWorld,
  things,
  selection,
  onChange,
  onHome,
  onSelect,
}: {
  readonly settings: Shown;
  readonly hasWorld: boolean;
  readonly things: readonly Thing[];
  readonly selection: Selection | null;
  readonly onChange: (changes: Partial<Shown>) => void;
  readonly onHome: () => void;
  readonly onSelect: (thing: Thing | null) => void;
}) {
  const chosen = things.findIndex(
    ({ set, id }) => selection?.kind === "thing" && selection.set === set && selection.id === id,
  );
  return (
    <div className="scene-bar" role="toolbar" aria-label="Scene">
      {MODES.map(({ mode, text, label }) => (
        <Button
          key={mode}
          kind="bare"
          label={label}
          aria-pressed={mode === settings.mode}
          onClick={() => onChange({ mode })}
        >
          {text}
        </Button>
      ))}
      <Button kind="bare" label="Camera: the first view again" onClick={onHome}>
        Home
      </Button>
      <span className="spring" />
      <select
        className="field scene-things"
        aria-label="Selected thing"
        value={chosen}
        onChange={(event) => onSelect(things[Number(event.currentTarget.value)] ?? null)}
      >
        <option value={-1}>
          {selection?.kind === "thing" && chosen < 0 ? String(selection.id) : "nothing selected"}
        </option>
        {things.map(({ set, id, label }, i) => (
          <option key={`${set}/${id}`} value={i}>
            {label}
          </option>
        ))}
      </select>
      {[...TOGGLES, ...(hasWorld ? OF_WORLD : [])].map(({ shown, text, label }) => (
        <Button
          key={shown}
          kind="bare"
          label={label}
          aria-pressed={settings[shown]}
          onClick={() => onChange({ [shown]: !settings[shown] })}
        >
          {text}
        </Button>
      ))}
    </div>
  );
}
