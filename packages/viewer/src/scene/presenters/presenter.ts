import type { Box3, Object3D, Vector3 } from "three";
import type { Axes, EntitySet, MovingState, Showing, State } from "simtape";
import type { Look } from "../drawing/look.ts";
import type { Passing } from "../../protocol.ts";
import type { Thing } from "../../subject.ts";
import type { Scenery } from "../../world/companion.ts";
import type { Poses } from "../things/poses.ts";
import type { Origin } from "../things/origin.ts";
import type { MoleculeFacts } from "./molecules/facts.ts";
import type { MoleculeSettings } from "./molecules/settings.ts";
import type { Reading } from "./readings.ts";

/** What a presenter draws with. */
export interface Setting {
  readonly origin: Origin;
  readonly look: Look;
  /** Which values of a thing are what it has in its hands; absent: it is not known. */
  readonly hands?: NonNullable<Showing["hands"]>;
  /** Asks for another picture: what is drawn has changed without a frame. */
  readonly redraw?: () => void;
  /** Gets what settles when a part that is being loaded is drawn: it belongs into the picture. */
  readonly onLoad?: (part: Promise<unknown>) => void;
}

/** Adds to a state what a companion knows and it lacks. */
export type Filler = (state: State) => State;

/** Textures of blocks, and their pictures. */
export type WornSkins = NonNullable<Scenery["skins"]>;

/** What was chosen for all presenters of a recording; what concerns none of its things, a presenter leaves. */
export interface Choices {
  /** How molecules look. */
  readonly molecules: MoleculeSettings;
  /** What edited blocks wear; null: plain colours. */
  readonly skins: WornSkins | null;
  /** What adds to states what is known of molecules beside them; null: nothing. */
  readonly filler: Filler | null;
  /** The one thing that is shown among the others; null: none is. */
  readonly single: Thing | null;
}

/** From where a picture is drawn. */
export interface Eye {
  readonly position: Vector3;
  /** Pixels that are drawn of a thing 1 m high, 1 m away: fewer than the screen has where drawing is slow. */
  readonly pixels: number;
  /** Pixels of the page that it takes, however many are drawn. */
  readonly seen: number;
}

/** Things of one set that can be picked, followed and named. */
export interface Crowd {
  readonly set: string;
  readonly poses: Poses;
  /** Of its set, as it was shown last. */
  readonly axes: Axes | null;
  /** Of one unit of the frame; null: the scene's own metre. */
  readonly metres: number | null;
  /** What the poses are in. */
  readonly frame: Object3D;
  /** Metres in the frame: of a ball around a thing, how high its eye is, and its name above it. */
  readonly radius: number;
  readonly eye: number;
  readonly top: number;
  /** From how far away it is followed, and from how high above it, of that distance. */
  readonly distance: number;
  readonly rise: number;
  /** Whether who follows it turns with it. */
  readonly steers: boolean;
  /** The thing's own axis that looks ahead. */
  readonly ahead: "x" | "-z";
  /** Whether these are what it is about: named, and looked at first; the others are when they are picked. */
  readonly isMain: boolean;
  /** Whether names are written above all of them. */
  readonly isNamed: boolean;
  /** Whether their way is worth a line. */
  readonly travels: boolean;
  /** Whether a dot stands for each that is too far away to be seen. */
  readonly hasDots: boolean;
  /** Whether they fly, so that one looks at an artificial horizon. */
  readonly flies: boolean;
  /** Metres that a thing is wide on the ground, where its way is worth being seen as a road; else 0. */
  readonly lane: number;
  /** Metres from where a thing is up to its bottom: less than 0 is below. */
  readonly bottom: number;
  /** Leaves these things out of the picture; whether they are others than before. */
  hide(ids: ReadonlySet<number | string>): boolean;
  label(row: number): string;
  /** How much a thing is what one looks at: by its size as it was recorded; 0: nothing says so. */
  weight(row: number): number;
  /** Numbers worth reading while one looks at a thing, as they were recorded: the crowd is as it is in the picture. */
  readings(row: number, recorded: State): readonly Reading[];
}

/** Draws some sets of one recording. It keeps its objects from frame to frame, and allocates only when things come. */
export interface Presenter {
  readonly object: Object3D;
  readonly crowds: readonly Crowd[];
  /** Takes a set it claims; called once for each. */
  adopt(set: string): void;
  update(state: MovingState): void;
  /** Groups of values (`Showing.bulk`) that it looks at now: they come only then. */
  readonly reads?: readonly string[];
  /** Called before every picture, also where only the camera has moved: for what looks simpler from afar. */
  see?(eye: Eye): void;
  /** Takes what was chosen, when it is made and when something else is; only of what can look otherwise. */
  choose?(choices: Choices): void;
  /** Of molecules, where it draws some. */
  readonly facts?: MoleculeFacts | null;
  /** Takes note who passes checkpoints when, by time; only of what shows them. */
  mark?(passings: readonly Passing[]): void;
  /** Takes note of the way of one of its things, three numbers a place; whether more is to be framed than before. */
  reach?(places: Float32Array): boolean;
  /** Widens the box by what should be seen at first. */
  frame(box: Box3): void;
  /** Height of the ground; null: unknown, it is drawn below what is framed. */
  readonly floor: number | null;
  /** Whether what it is about goes far, and the camera had better go along. */
  readonly isJourney: boolean;
  /** In words, for those who do not see it. */
  describe(): string;
  dispose(): void;
}

export interface PresenterKind {
  claims(name: string, set: EntitySet): boolean;
  make(setting: Setting): Presenter;
}

/** "3 players" */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
