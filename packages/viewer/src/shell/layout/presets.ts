import type { DockviewApi } from "dockview";
import type { EntitySet, State } from "simtape";
import { PANELS, type PanelKind, panelsFor } from "../../panels.ts";
import { SCENE } from "../../scene/panel/settings.ts";
import { mainPanel, type Session } from "../../session.ts";
import { addBeside } from "./beside.ts";
import { arrange, type Drawer, type DrawerSize } from "./layout.ts";

/** What drawers have of the page: from 0 to 1; absent: the drawer is shut. */
type Open = Readonly<Partial<Record<Drawer, number>>>;

/** Which panels are where, and how large: for some kind of recording, or for some kind of work. */
interface Preset {
  readonly id: string;
  readonly title: string;
  /** Panels in the drawer beside the scene, and in that below it, the foremost first; others follow in their own. */
  readonly side?: readonly string[];
  readonly below?: readonly string[];
  readonly open: Open;
  /** Whether a set of that name and those columns is what it is for; absent: it is for any recording. */
  readonly suits?: (name: string, set: EntitySet) => boolean;
}

export const PRESETS: readonly Preset[] = [
  {
    id: "driving",
    title: "Driving",
    side: ["events", "state"],
    below: ["plots"],
    open: { side: 0.24, below: 0.26 },
    suits: (name, { columns }) => name === "vehicles" || columns.has("steering"),
  },
  {
    id: "molecules",
    title: "Molecules",
    side: ["find", "state"],
    below: ["plots"],
    open: { below: 0.3 },
    suits: (_, { columns }) => columns.has("element") && columns.has("position"),
  },
  {
    id: "flight",
    title: "Flight",
    side: ["events", "info"],
    below: ["plots"],
    open: { below: 0.34 },
    suits: (_, { axes, columns }) =>
      axes?.kind === "geodetic" && (columns.has("rotation") || columns.has("orientation")),
  },
  {
    id: "robot",
    title: "Robot",
    side: ["messages", "state"],
    below: ["plots"],
    open: { side: 0.32, below: 0.22 },
    suits: (name) => name === "poses",
  },
  {
    id: "game",
    title: "Game",
    side: ["events", "find"],
    below: ["race", "plots"],
    open: { side: 0.26 },
    suits: (name, { columns }) => name === "players" || columns.has("game-mode"),
  },
  { id: "scene", title: "Scene alone", open: {} },
  { id: "numbers", title: "Numbers", side: ["stats", "find"], below: ["plots"], open: { side: 0.3, below: 0.45 } },
  {
    id: "bytes",
    title: "Messages and bytes",
    side: ["messages", "state"],
    below: ["bytes", "plots"],
    open: { side: 0.4, below: 0.4 },
  },
];

/** Presets for what a state has, the first of them first; then those for any recording. */
export function presetsFor(state: State | null): readonly string[] {
  const sets = [...(state?.sets ?? [])];
  const own = PRESETS.filter(({ suits }) => suits !== undefined && sets.some(([name, set]) => suits(name, set)));
  return [...own, ...PRESETS.filter(({ suits }) => suits === undefined)].map(({ id }) => id);
}

/** Lays out panels as a preset says; scenes that lie beside each other stay, unless it is for one alone. */
export function layOut(api: DockviewApi, session: Session, id: string): void {
  const preset = PRESETS.find((one) => one.id === id)!;
  const main = mainPanel(session.state.value);
  const others = id === SCENE ? [] : otherScenes(api);
  arrange(api, panelsIn(preset, main), main, sizeIn(preset));
  for (const scene of others) addBeside(api, PANELS.find((kind) => kind.id === SCENE)!, scene);
}

function otherScenes({ panels }: DockviewApi): readonly string[] {
  return panels.map(({ id }) => id).filter((id) => id.startsWith(`${SCENE}-`));
}

function sizeIn({ open }: Preset): DrawerSize {
  return (drawer, isHigh) => {
    // where all is below, so is what would be beside
    const part = isHigh ? (open.below ?? open.side) : open[drawer];
    return part === undefined ? null : Math.floor(part * (drawer === "side" ? innerWidth : innerHeight));
  };
}

function panelsIn({ side = [], below = [] }: Preset, main: string): readonly PanelKind[] {
  const named = [...side.map((id) => [id, "side"] as const), ...below.map((id) => [id, "below"] as const)].filter(
    ([id]) => id !== main,
  );
  const placed = named.map(([id, home]) => ({ ...PANELS.find((kind) => kind.id === id)!, home }));
  return [...placed, ...panelsFor(main).filter(({ id }) => named.every(([other]) => other !== id))];
}
