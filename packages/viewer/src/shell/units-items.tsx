import { modesOf, type TimeMode } from "../clock.ts";
import { useTimeMode, useTimeScale } from "../use-time-scale.ts";
import { useSession, useViewer } from "../hooks.ts";
import { SYSTEMS, UNITS } from "../measures.ts";
import { useUnitSystem } from "../use-unit-system.ts";
import { LateItems } from "../ui/late-items.tsx";
import { MenuItem } from "../ui/menu.tsx";

const MODES: Readonly<Record<TimeMode, string>> = {
  start: "Time since the start",
  wall: "Time of day, here",
  tick: "Ticks",
};

/** What the menu of units has: those in which numbers and times are shown. */
export function UnitsItems() {
  const session = useSession();
  const system = useUnitSystem();
  const timeline = useViewer(({ decks }) => decks[0]?.opened.timeline);
  const { mode } = useTimeScale();
  const [, show] = useTimeMode();
  return (
    <LateItems>
      {SYSTEMS.map(([name, text]) => (
        <MenuItem
          key={name}
          isChecked={name === system}
          onSelect={() => session.share(UNITS, name === "everyday" ? undefined : name)}
        >
          {text}
        </MenuItem>
      ))}
      <hr />
      {timeline !== undefined &&
        modesOf(timeline).map((name) => (
          <MenuItem key={name} isChecked={name === mode} onSelect={() => show(name === "start" ? undefined : name)}>
            {MODES[name]}
          </MenuItem>
        ))}
    </LateItems>
  );
}
