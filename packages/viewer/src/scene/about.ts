import type { Subject, Thing } from "../subject.ts";
import { find, principal, rankIn, type Spot } from "./things/pick.ts";
import type { Crowd } from "./presenters/presenter.ts";
import type { Ways } from "./ways/ways.ts";

/** What the picture is about: what was chosen, else what the recording is about, as far as its ways are known. */
export class About {
  subject: Subject | null = null;
  /** Of what plays, as they are now. */
  crowds: readonly Crowd[] = [];
  /** Sets that come before others, in that order. */
  foremost: readonly string[] = [];
  readonly #ways: Ways;
  readonly #onOther: (thing: Thing) => void;

  /** `onOther` is called with what it is about from then on, where nothing was chosen. */
  constructor(ways: Ways, onOther: (thing: Thing) => void) {
    this.#ways = ways;
    this.#onOther = onOther;
  }

  /** The subject, where it is now; null: it is not there. */
  get spot(): Spot | null {
    return this.subject === null ? null : find(this.crowds, this.subject.set, this.subject.id);
  }

  /** What was chosen; null: nothing was. */
  get single(): Thing | null {
    return this.subject?.isChosen === true ? this.subject : null;
  }

  /** What was chosen, where it is now. */
  get chosen(): Spot | null {
    return this.single === null ? null : this.spot;
  }

  /** What it is about where nothing was chosen, where that has gone, or where a set that is more foremost has come. */
  regard(isOther = false): void {
    if (this.single !== null) return;
    const { spot } = this;
    if (spot === null) this.#regardOther();
    else if (isOther) {
      const rank = rankIn(this.foremost, spot.crowd.set);
      this.#regardOther(({ crowd }) => rankIn(this.foremost, crowd.set) < rank);
    }
  }

  /** What stands is not what it is about where another thing moves, unless it was chosen; whether it is another now. */
  regardMover(): boolean {
    if (this.single !== null) return false;
    const { spot } = this;
    return (spot === null || this.#ways.moves(spot) === false) && this.#regardOther();
  }

  #regardOther(isBetter: (spot: Spot) => boolean = () => true): boolean {
    const spot = principal(this.crowds, this.foremost, (one) => this.#ways.moves(one));
    if (spot === null || !isBetter(spot)) return false;
    const { set, id } = named(spot);
    if (this.subject?.set === set && this.subject.id === id) return false;
    this.subject = { set, id, isChosen: false };
    this.#onOther(this.subject);
    return true;
  }
}

/** Set and id of what is at a spot. */
export function named({ crowd, row }: Spot): Thing {
  return { set: crowd.set, id: crowd.poses.ids[row]! };
}
