import type { Box3, Object3D, Vector3 } from "three";
import type { Axes, EntitySet, State } from "simtape";
import type { Look } from "../look.ts";
import type { Passing } from "../../protocol.ts";
import type { Poses } from "../poses.ts";
import type { Origin } from "../origin.ts";
import type { Reading } from "./readings.ts";

/** What a presenter draws with. */
export interface Setting {
  readonly origin: Origin;
  readonly look: Look;
}

/** From where a picture is drawn. */
export interface Eye {
  readonly position: Vector3;
  /** Pixels that are drawn of a thing 1 m high, 1 m away: fewer than the screen has where drawing is slow. */
  readonly pixels: number;
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
  /** Metres that a thing is wide on the ground, where its way is worth being seen as a road; else 0. */
  readonly lane: number;
  /** Leaves one thing out of the picture, null none; whether that is another one than before. */
  hide(id: number | string | null): boolean;
  label(row: number): string;
  /** Numbers worth reading while one looks at a thing, as they were recorded: the crowd is as it is in the picture. */
  readings(row: number, recorded: State): readonly Reading[];
}

/** Draws some sets of one recording. It keeps its objects from frame to frame, and allocates only when things come. */
export interface Presenter {
  readonly object: Object3D;
  readonly crowds: readonly Crowd[];
  /** Takes a set it claims; called once for each. */
  adopt(set: string): void;
  update(state: State): void;
  /** Called before every picture, also where only the camera has moved: for what looks simpler from afar. */
  see?(eye: Eye): void;
  /** Takes note who passes checkpoints when, by time; only of what shows them. */
  mark?(passings: readonly Passing[]): void;
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

/** One cell of a text column. */
export function textAt(set: EntitySet | undefined, column: string, row: number): string {
  const cell = set?.columns.get(column)?.data[row];
  return typeof cell === "string" ? cell : "";
}

/** One cell of a column of numbers; NaN when it is not there. */
export function numberAt(set: EntitySet | undefined, column: string, row: number, item = 0): number {
  const found = set?.columns.get(column);
  const cell = found?.data[row * found.width + item];
  return typeof cell === "number" ? cell : Number.NaN;
}

/** The label, else the end of the kind, else set and id. */
export function nameOf(set: EntitySet | undefined, name: string, row: number): string {
  const label = textAt(set, "label", row);
  if (label !== "") return label;
  const id = set?.ids[row] ?? "";
  const words = textAt(set, "kind", row)
    .split(/[:./]/)
    .filter((word) => /\D/.test(word));
  return `${words.at(-1) ?? name} ${id}`;
}

/** "3 players" */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
