import { type Numbers, TangentPlane } from "simtape";
import { turnVectorDown, turnVectorUp } from "../drawing/y-up.ts";

/** Coordinates beyond this are laid to an origin of their own: in 32 bits they would tremble. */
const NEAR = 2000;

/**
 * Where the scene's zero is in the recording's world. The first position met decides; recording and ghosts share one,
 * so that they lie as they were. Geodetic places come onto the plane that touches sea level there: x east, y up, -z north.
 */
export class Origin {
  #isSet = false;
  #plane: TangentPlane | null = null;
  readonly #offset = new Float64Array(3);

  /** Whether a place was met, in a local world or on the earth. */
  get isKnown(): boolean {
    return this.#isSet || this.#plane !== null;
  }

  /** Whether places of the recording are degrees and metres; false until one was met. */
  get isGeodetic(): boolean {
    return this.#plane !== null;
  }

  /** Whether places of a kind can be put: a recording may have places on the earth beside those of a world of its own. */
  hasPlaces(areGeodetic: boolean): boolean {
    return areGeodetic ? this.#plane !== null : this.#isSet;
  }

  /** Metres that are taken off the places of a local world along each axis; 0 until it is known. */
  get offset(): ArrayLike<number> {
    return this.#offset;
  }

  /** Scene metres to metres from the origin. */
  local(out: Numbers, at: number): void {
    const offset = this.#offset;
    const isKnown = Number.isFinite(out[at]! + out[at + 1]! + out[at + 2]!);
    if (!this.#isSet && isKnown) {
      this.#isSet = true;
      for (let k = 0; k < 3; k++) {
        const value = out[at + k]!;
        offset[k] = Math.abs(value) > NEAR ? Math.round(value / 1000) * 1000 : 0;
      }
    }
    for (let k = 0; k < 3; k++) out[at + k] = out[at + k]! - offset[k]!;
  }

  /** Degrees, degrees and metres above the ellipsoid to metres from the origin. */
  geodetic(latitude: number, longitude: number, height: number, out: Numbers, at: number): void {
    if (this.#plane === null) {
      if (!Number.isFinite(latitude + longitude)) {
        for (let k = 0; k < 3; k++) out[at + k] = Number.NaN;
        return;
      }
      this.#plane = new TangentPlane({ latitude, longitude, altitude: 0, heading: 0 });
    }
    this.#plane.fromGeodetic(latitude, longitude, height, out, at);
    turnVectorUp(out, at);
  }

  /**
   * From a place of the scene to the one of the recording, the same for all who watch it, whatever their origin: metres
   * with z up, or degrees north, degrees east and metres above the ellipsoid.
   */
  toRecording(out: Numbers, at: number): void {
    if (this.#plane === null) for (let k = 0; k < 3; k++) out[at + k] = out[at + k]! + this.#offset[k]!;
    turnVectorDown(out, at);
    this.#plane?.toGeodetic(out[at]!, out[at + 1]!, out[at + 2]!, out, at);
  }

  /** Back from `toRecording`; NaN before the first position was met. It decides nothing. */
  fromRecording(out: Numbers, at: number): void {
    if (this.#plane !== null) {
      this.geodetic(out[at]!, out[at + 1]!, out[at + 2]!, out, at);
      return;
    }
    this.fromLocal(out, at);
  }

  /** As `fromRecording`, of a place in metres with z up, also where the recording has places on the earth. */
  fromLocal(out: Numbers, at: number): void {
    turnVectorUp(out, at);
    for (let k = 0; k < 3; k++) out[at + k] = this.#isSet ? out[at + k]! - this.#offset[k]! : Number.NaN;
  }
}
