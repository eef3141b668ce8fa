import type { Subject } from "../../subject.ts";
import { Button } from "../../ui/button.tsx";
import type { CameraMode } from "../camera/camera-rig.ts";
import type { Thing } from "../over/said.ts";

const MODES: readonly { readonly mode: CameraMode; readonly text: string; readonly label: string }[] = [
  { mode: "orbit", text: "Orbit", label: "Camera: turn around a point" },
  { mode: "follow", text: "Follow", label: "Camera: follow the selected thing" },
  { mode: "top", text: "Top", label: "Camera: look down" },
  { mode: "first-person", text: "First person", label: "Camera: see what the selected thing sees" },
];

const TOGGLES = [
  { shown: "labels", text: "Names", label: "Names of things" },
  { shown: "trails", text: "Trails", label: "Paths of things, before and after now" },
  { shown: "readings", text: "Readings", label: "Readings of the thing in view" },
] as const satisfies readonly Toggle[];

/** Where there is a world. */
const OF_WORLD = [
  { shown: "world", text: "World", label: "Show the world around the recording" },
] as const satisfies readonly Toggle[];

/** Where that is made of blocks. */
const OF_BLOCKS = [
  { shown: "cut", text: "Cut", label: "Cut the world above the players" },
] as const satisfies readonly Toggle[];

/** Where what is looked at flies. */
const OF_FLIGHT = [
  { shown: "instruments", text: "Instruments", label: "Flight instruments of the thing in view" },
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
  readonly instruments: boolean;
}

/** Above the scene: the camera, what is followed, and what is drawn beside the things. */
export function SceneBar({
  title,
  settings,
  hasWorld,
  hasBlocks,
  flies,
  aside,
  onAside,
  isMeasuring,
  onMeasure,
  isPathShown,
  onPath,
  things,
  subject,
  onChange,
  onHome,
  onSelect,
}: {
  readonly title: string;
  readonly settings: Shown;
  readonly hasWorld: boolean;
  readonly hasBlocks: boolean;
  readonly flies: boolean;
  /** Whether the choices for molecules are open; null: there are no molecules. */
  readonly aside: boolean | null;
  readonly onAside: () => void;
  readonly isMeasuring: boolean;
  readonly onMeasure: () => void;
  readonly isPathShown: boolean;
  /** Null: the camera of a video is that of another scene. */
  readonly onPath: (() => void) | null;
  readonly things: readonly Thing[];
  readonly subject: Subject | null;
  readonly onChange: (changes: Partial<Shown>) => void;
  readonly onHome: () => void;
  readonly onSelect: (thing: Thing | null) => void;
}) {
  const at = things.findIndex(({ set, id }) => subject?.set === set && subject.id === id);
  const name = things[at]?.label ?? subject?.id;
  const isChosen = subject?.isChosen === true;
  return (
    <div className="scene-bar" role="toolbar" aria-label={title}>
      {MODES.map(({ mode, text, label }) => (
        <Button
          key={mode}
          kind="bare"
          label={flies && mode === "top" ? "Camera: map from above, north up" : label}
          aria-pressed={mode === settings.mode}
          onClick={() => onChange({ mode })}
        >
          {flies && mode === "top" ? "Map" : text}
        </Button>
      ))}
      <Button kind="bare" label="Camera: the first view again" onClick={onHome}>
        Home
      </Button>
      <span className="spring" />
      <select
        className="field scene-things"
        aria-label="Selected thing"
        value={isChosen ? at : -1}
        onChange={(event) => onSelect(things[Number(event.currentTarget.value)] ?? null)}
      >
        <option value={-1}>
          {isChosen
            ? at < 0
              ? name
              : "nothing selected"
            : name === undefined
              ? "nothing selected"
              : `${name}, not selected`}
        </option>
        {things.map(({ set, id, label }, i) => (
          <option key={`${set}/${id}`} value={i}>
            {label}
          </option>
        ))}
      </select>
      {[...TOGGLES, ...(flies ? OF_FLIGHT : []), ...(hasWorld ? OF_WORLD : []), ...(hasBlocks ? OF_BLOCKS : [])].map(
        ({ shown, text, label }) => (
          <Button
            key={shown}
            kind="bare"
            label={label}
            aria-pressed={settings[shown]}
            onClick={() => onChange({ [shown]: !settings[shown] })}
          >
            {text}
          </Button>
        ),
      )}
      <Button kind="bare" label="Measure between things (m)" aria-pressed={isMeasuring} onClick={onMeasure}>
        Measure
      </Button>
      {onPath !== null && (
        <Button
          kind="bare"
          label="The way of the camera in a video (Shift P)"
          aria-pressed={isPathShown}
          onClick={onPath}
        >
          Path
        </Button>
      )}
      {aside !== null && (
        <Button kind="bare" label="How molecules are drawn" aria-pressed={aside} onClick={onAside}>
          Molecules
        </Button>
      )}
    </div>
  );
}
