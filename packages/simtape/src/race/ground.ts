import { originAt, TangentPlane } from "../model/axes/geodesy.ts";
import { RaceError } from "./error.ts";
import type { Gate } from "./gate.ts";
import type { PlacedRacer } from "./things.ts";

/**
 * The ground that all racers share, in metres: standard axes, or the plane that touches the earth where the first of them
 * was first seen. On it lengths in space are true wherever a thing flies.
 */
export class Ground {
  /** Where the plane touches the earth; null: the places of the recordings are local. */
  readonly origin: { readonly latitude: number; readonly longitude: number; readonly altitude: number } | null;
  readonly #plane: TangentPlane | null;

  /**
   * Throws `RaceError` where some racers have a place on the earth, and others a local one, and where what they have in
   * degrees is no place on the earth, as in damaged recordings.
   */
  constructor(racers: readonly PlacedRacer[]) {
    const first = racers.find(({ column }) => column === "geodetic");
    const local = racers.find(({ column }) => column === "position");
    if (first !== undefined && local !== undefined)
      throw new RaceError(
        "thing",
        `${first.set} has places on the earth, and ${local.set} has none: they share no course`,
      );
    const [latitude = 0, longitude = 0, altitude = 0] =
      first === undefined ? [] : (racers.map(onEarth).find((place) => place !== null) ?? nowhere(first));
    this.origin = first === undefined ? null : { latitude, longitude, altitude };
    this.#plane = this.origin === null ? null : new TangentPlane(originAt(latitude, longitude, altitude));
  }

  get isGeodetic(): boolean {
    return this.#plane !== null;
  }

  /** Lays degrees north, degrees east and metres on the plane, in their place; leaves local places as they are. */
  lay(place: Float64Array, at = 0): void {
    this.#plane?.fromGeodetic(place[at]!, place[at + 1]!, place[at + 2]!, place, at);
  }

  /** The gate in metres. Throws `RaceError` for what is no place on the earth. */
  gate({ x1, y1, x2, y2 }: Gate): Gate {
    const [one, other] = [this.at([x1, y1]), this.at([x2, y2])];
    return { x1: one[0]!, y1: one[1]!, x2: other[0]!, y2: other[1]! };
  }

  /** Two or three numbers as a place in metres; without the third as high as the origin. Throws `RaceError` likewise. */
  at(numbers: readonly number[]): Float64Array {
    const [x, y, z] = [numbers[0]!, numbers[1]!, numbers[2] ?? this.origin?.altitude ?? 0];
    if (this.isGeodetic && !(Math.abs(x) <= 90 && Math.abs(y) <= 180))
      throw new RaceError("line", `a place on the earth is latitude, longitude in degrees: ${numbers.join(",")}`);
    const place = Float64Array.of(x, y, z);
    this.lay(place);
    return place;
  }
}

/** Where it was first seen; null: that is no place on the earth. */
function onEarth({ column, first }: PlacedRacer): readonly number[] | null {
  const [latitude = NaN, longitude = NaN, altitude = NaN] = first;
  const isThere = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && Number.isFinite(altitude);
  return column === "geodetic" && isThere ? [latitude, longitude, altitude] : null;
}

function nowhere({ set, first }: PlacedRacer): never {
  throw new RaceError("nowhere", `${set} begins at ${[...first].join(", ")}, which is no place on the earth`);
}
