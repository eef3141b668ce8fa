/** With how much the scene is drawn. */
export interface Quality {
  readonly shadows: boolean;
  /** Whether edges are smooth, where that can be chosen. */
  readonly smooth: boolean;
  /** Of the pixels there are along each side. */
  readonly scale: number;
}

/** Ever less. The first is all there is. */
export const QUALITIES: readonly [Quality, ...Quality[]] = [
  { shadows: true, smooth: true, scale: 1 },
  { shadows: false, smooth: false, scale: 1 },
  { shadows: false, smooth: false, scale: 0.75 },
  { shadows: false, smooth: false, scale: 0.5 },
];

/** Milliseconds: what takes longer hampers, what takes less leaves room for more than twice as much. */
const SLOW = 30;
const QUICK = 12;
/** Slow pictures more than others before less is drawn: one that waited for something else is no reason. */
const ENDURED = 4;
/** Quick pictures in a row before more is tried, and the most of them, after tries that failed. */
const FIRST_QUICK = 50;
const MOST = 3200;

/** How much is drawn while the picture changes: as much as the machine has been seen to draw. */
export class Effort {
  #level: number;
  #slow = 0;
  #quick = 0;
  #needed = FIRST_QUICK;
  /** Pictures since more was tried. */
  #tried = Number.POSITIVE_INFINITY;

  /** `isSoftware`: drawn without a graphics card, so that it begins with little. */
  constructor(isSoftware: boolean) {
    this.#level = isSoftware ? QUALITIES.length - 1 : 0;
  }

  get quality(): Quality {
    return QUALITIES[this.#level]!;
  }

  /** Whether less than everything is drawn. */
  get isLimited(): boolean {
    return this.#level > 0;
  }

  /** Takes note that a picture of the present quality took `least` milliseconds or more, and `most` or less. */
  note(least: number, most: number): void {
    this.#tried++;
    this.#slow = Math.max(0, this.#slow + (least > SLOW ? 1 : -1));
    this.#quick = most < QUICK ? this.#quick + 1 : 0;
    if (this.#slow === ENDURED && this.#level + 1 < QUALITIES.length) {
      const hasFailed = this.#tried <= this.#needed;
      this.#needed = hasFailed ? Math.min(MOST, 2 * this.#needed) : FIRST_QUICK;
      this.#tried = Number.POSITIVE_INFINITY;
      this.#go(1);
    } else if (this.#quick >= this.#needed && this.#level > 0) {
      this.#tried = 0;
      this.#go(-1);
    }
    this.#slow = Math.min(this.#slow, ENDURED - 1);
  }

  #go(step: number): void {
    this.#level += step;
    this.#slow = this.#quick = 0;
  }
}
