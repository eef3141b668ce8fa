import { transformOf } from "../../model/axes/axes-transform.ts";
import type { Column } from "../../model/state/column.ts";
import type { EntitySet } from "../../model/state/state.ts";
import { metresPer } from "../../model/values/units.ts";
import type { ProtoBuilder } from "./proto.ts";

type Triple = readonly [number, number, number];
type Cells = Readonly<Record<number, number>>;

/** How a thing is drawn where the recording has no shape for it: metres, along its own axes (forward, left, up). */
interface Look {
  readonly shape: "cube" | "arrow";
  readonly size: Triple;
  /** Where the middle is, from the place of the thing. */
  readonly middle: Triple;
  readonly color: Triple;
}

const ORIGIN: Triple = [0, 0, 0];

/** By set, or else by the first word of a set's name; see docs/export-mcap.md. */
const LOOKS: Readonly<Record<string, Look>> = {
  vehicles: { shape: "cube", size: [4.5, 1.9, 1.6], middle: [0, 0, 0.8], color: [0.2, 0.5, 0.9] },
  walkers: { shape: "cube", size: [0.5, 0.6, 1.8], middle: ORIGIN, color: [0.95, 0.6, 0.2] },
  "traffic-lights": { shape: "cube", size: [0.4, 0.4, 1], middle: [0, 0, 0.5], color: [0.9, 0.8, 0.2] },
  "traffic-signs": { shape: "cube", size: [0.2, 0.6, 0.6], middle: [0, 0, 0.3], color: [0.8, 0.3, 0.3] },
  sensors: { shape: "arrow", size: [0.6, 0.1, 0.1], middle: ORIGIN, color: [0.6, 0.6, 0.6] },
  players: { shape: "cube", size: [0.6, 0.6, 1.8], middle: [0, 0, 0.9], color: [0.3, 0.8, 0.4] },
  entities: { shape: "cube", size: [0.7, 0.7, 0.9], middle: [0, 0, 0.45], color: [0.8, 0.5, 0.8] },
  blocks: { shape: "cube", size: [1, 1, 1], middle: ORIGIN, color: [0.6, 0.6, 0.55] },
  aircraft: { shape: "arrow", size: [11, 1.5, 1.5], middle: ORIGIN, color: [0.9, 0.3, 0.2] },
  poses: { shape: "arrow", size: [1, 0.15, 0.15], middle: ORIGIN, color: [0.2, 0.6, 0.9] },
  avatars: { shape: "arrow", size: [0.2, 0.05, 0.05], middle: ORIGIN, color: [0.9, 0.5, 0.7] },
};
const ANY: Look = { shape: "cube", size: [0.5, 0.5, 0.5], middle: ORIGIN, color: [0.7, 0.7, 0.7] };

/** By atomic number: the diameter of a sphere in nm, and its colour as chemists paint it. */
const ATOMS: Readonly<Record<number, readonly [diameter: number, color: Triple]>> = {
  1: [0.11, [0.95, 0.95, 0.95]],
  6: [0.16, [0.35, 0.35, 0.35]],
  7: [0.155, [0.2, 0.3, 0.95]],
  8: [0.15, [0.9, 0.1, 0.1]],
  15: [0.18, [1, 0.5, 0]],
  16: [0.18, [0.9, 0.8, 0.2]],
};
const ANY_ATOM = [0.17, [0.8, 0.5, 0.7]] as const;

/** Columns that change how things look. */
export const LOOK_COLUMNS: readonly string[] = [
  "kind",
  "label",
  "size",
  "box-center",
  "box-extent",
  "color",
  "element",
];

/** What the things of a set look like, row by row. */
export class Looks {
  readonly #look: Look;
  readonly #set: EntitySet;
  readonly #color: Column | null;
  readonly #element: Column | null;
  readonly #extent: Column | null;
  readonly #center: Column | null;
  readonly #size: Column | null;
  readonly #scratch = new Float64Array(3);

  constructor(name: string, set: EntitySet) {
    this.#look = LOOKS[name] ?? ANY;
    this.#set = set;
    const column = (called: string, least: number): Column | null => {
      const found = set.columns.get(called);
      return found === undefined || found.width < least || typeof found.data[0] === "string" ? null : found;
    };
    this.#color = column("color", 3);
    this.#element = column("element", 1);
    this.#extent = column("box-extent", 3);
    this.#center = column("box-center", 3);
    this.#size = column("size", 3);
  }

  /** The recorded colour, the element's, or the set's: red, green, blue from 0 to 1. */
  color(row: number): Triple {
    const column = this.#color;
    if (column !== null) {
      const cells = column.data as Cells;
      const at = column.width * row;
      const [r, g, b] = [cells[at]!, cells[at + 1]!, cells[at + 2]!];
      const most = Math.max(r, g, b) > 1 ? 255 : 1;
      if (r + g + b >= 0) return [r / most, g / most, b / most];
    }
    const element = this.#atom(row);
    return element === null ? this.#look.color : element[1];
  }

  /** Diameter of an atom, nm. */
  diameter(row: number): number {
    return (this.#atom(row) ?? ANY_ATOM)[0];
  }

  /** Writes the primitive of a thing in its own frame: a field of `foxglove.SceneEntity`. */
  write(proto: ProtoBuilder, row: number): void {
    const { shape, size: usual, middle: usualMiddle } = this.#look;
    const size = this.#along(this.#extent, row, 2) ?? this.#along(this.#size, row, 1) ?? usual;
    const middle = this.#extent === null ? usualMiddle : (this.#middleOf(row) ?? usualMiddle);
    const [red, green, blue] = this.color(row);
    if (shape === "arrow") {
      const [length, width] = size;
      proto.begin(7);
      proto.upright(1, middle[0] - length / 2, middle[1], middle[2]);
      proto.double(2, 0.7 * length);
      proto.double(3, width);
      proto.double(4, 0.3 * length);
      proto.double(5, 2 * width);
      proto.four(6, red, green, blue, 1);
    } else {
      proto.begin(8);
      proto.upright(1, ...middle);
      proto.vector(2, ...size);
      proto.four(3, red, green, blue, 1);
    }
    proto.end();
  }

  /** How high above its place the label of a thing is, metres. */
  labelHeight(): number {
    const { size, middle } = this.#look;
    return middle[2] + size[2] / 2 + 0.3;
  }

  #atom(row: number): readonly [number, Triple] | null {
    if (this.#element === null) return null;
    return ATOMS[this.#element.data[row] as number] ?? ANY_ATOM;
  }

  /** Lengths along a thing's own axes, in metres; null: not known. */
  #along(column: Column | null, row: number, times: number): Triple | null {
    const vector = this.#ownVector(column, row);
    if (vector === null) return null;
    const [x, y, z] = vector;
    const size: Triple = [Math.abs(x) * times, Math.abs(y) * times, Math.abs(z) * times];
    return size[0] > 0 && size[1] > 0 && size[2] > 0 ? size : null;
  }

  #middleOf(row: number): Triple | null {
    return this.#ownVector(this.#center, row);
  }

  #ownVector(column: Column | null, row: number): Triple | null {
    const metres = column === null ? null : metresPer(column.unit);
    if (column === null || metres === null) return null;
    const cells = column.data as Cells;
    const at = column.width * row;
    transformOf(this.#set.axes).ownVector(cells[at]!, cells[at + 1]!, cells[at + 2]!, this.#scratch, 0);
    const [x, y, z] = this.#scratch as unknown as [number, number, number];
    return Number.isFinite(x + y + z) ? [x * metres, y * metres, z * metres] : null;
  }
}
