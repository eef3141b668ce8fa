import { type BufferGeometry, CapsuleGeometry, OctahedronGeometry } from "three";
import { ball, box, loft, merged, shaded } from "./shapes.ts";
import { vehicleGeometry } from "./vehicles.ts";

/** What a thing of any format is drawn as, where its traits say so; else as a point. */
export type Figure = "point" | "vehicle" | "vessel" | "person";

/** A figure: its shape fills a box of 1 m, x ahead, and is stretched to the size of the thing. */
export interface FigureShape {
  readonly make: () => BufferGeometry;
  /** Metres along x, y (up) and z, where the recording says nothing. */
  readonly size: readonly [length: number, height: number, width: number];
  /** Whether it stands for things of which nothing is known but where they are. */
  readonly isPoint: boolean;
  readonly words: readonly [one: string, several: string];
}

export const FIGURES: Readonly<Record<Figure, FigureShape>> = {
  point: {
    make: () => shaded(new OctahedronGeometry(0.5), 1),
    size: [0.5, 0.5, 0.5],
    isPoint: true,
    words: ["thing", "things"],
  },
  vehicle: {
    make: () => vehicleGeometry("car").translate(0, 0.5, 0),
    size: [4.6, 1.5, 1.9],
    isPoint: false,
    words: ["vehicle", "vehicles"],
  },
  vessel: { make: vesselGeometry, size: [12, 6, 3.8], isPoint: false, words: ["vessel", "vessels"] },
  person: { make: personGeometry, size: [0.35, 1.8, 0.55], isPoint: false, words: ["person", "people"] },
};

const GLASS = [0.1, 0.13, 0.16] as const;
const DECK = 0.85;
const HOUSE = [1.4, 1.4, 1.35] as const;
const SKIN = [0.91, 0.72, 0.58] as const;
const CLOTH = [0.24, 0.27, 0.36] as const;

/** A hull with its bow ahead, a wheelhouse and a mast; 0 is the water line. */
function vesselGeometry(): BufferGeometry {
  return merged([
    shaded(
      loft([
        [-0.5, -0.06, 0.14, 0.26, 0.3, 0.42, 0.43],
        [-0.25, -0.1, 0.14, 0.25, 0.32, 0.48, 0.49],
        [0.1, -0.1, 0.14, 0.27, 0.28, 0.47, 0.49],
        [0.34, -0.08, 0.16, 0.31, 0.12, 0.28, 0.36],
        [0.5, 0.02, 0.2, 0.37, 0.005, 0.015, 0.03],
      ]),
      1,
    ),
    shaded(box(-0.12, 0.27, 0, 0.62, 0.02, 0.8), DECK),
    shaded(box(-0.16, 0.4, 0, 0.34, 0.26, 0.56), ...HOUSE),
    shaded(box(-0.1, 0.56, 0, 0.2, 0.12, 0.5), ...GLASS),
    shaded(box(-0.12, 0.635, 0, 0.26, 0.03, 0.58), ...HOUSE),
    shaded(box(-0.2, 0.82, 0, 0.012, 0.36, 0.03), DECK),
  ]);
}

/** Who stands, looking ahead. */
function personGeometry(): BufferGeometry {
  return merged([
    shaded(new CapsuleGeometry(0.16, 0.28, 4, 12).scale(3.1, 1, 3.1).translate(0, 0.64, 0), 1),
    ...[-1, 1].map((side) =>
      shaded(new CapsuleGeometry(0.09, 0.3, 4, 10).scale(2.4, 1, 1.6).translate(0, 0.23, side * 0.22), ...CLOTH),
    ),
    shaded(ball(0, 0, 0, 1).scale(0.36, 0.085, 0.22).translate(0, 0.915, 0), ...SKIN),
  ]);
}
