import { type PerspectiveCamera, Vector3 } from "three";
import type { Scheme } from "../../theme.ts";
import type { Cast } from "../cast.ts";
import { ghostColor, SURROUNDINGS } from "../drawing/look.ts";
import { placeOf, type Spot } from "../things/pick.ts";
import type { Crowd } from "../presenters/presenter.ts";

/** Shown at once, at most; of more, the nearest. */
const MOST = 20;
/** Plates that are kept, written already: who is nearest changes from picture to picture. */
const KEPT = 128;
/** Of one crowd so many are looked at. */
const LOOKED_AT = 400;
/** Pixels of a line of text, and around it. */
const FONT = 12;
const PAD = 5;
const HEIGHT = FONT + 2 * PAD;

/**
 * Names above things: always the same size, whole, never over one another, those of the nearest first. They are written on a
 * canvas over the picture, so that they are sharp where the picture itself is drawn with fewer pixels.
 */
export class Labels {
  readonly element: HTMLCanvasElement = document.createElement("canvas");
  readonly #context: CanvasRenderingContext2D = this.element.getContext("2d")!;
  /** By what they say, those shown last at the end. */
  readonly #plates = new Map<string, Plate>();
  /** Those that are seen now, the nearest first. */
  readonly #shown: Plate[] = [];
  readonly #wanted: Wanted[] = Array.from({ length: MOST }, () => new Wanted());
  #count = 0;
  #scheme: Scheme = "dark";
  readonly #ratio: () => number;

  /** `ratio`: pixels of the canvas for each of the page. */
  constructor(ratio: () => number = () => Math.min(2, devicePixelRatio)) {
    this.#ratio = ratio;
    this.element.className = "scene-labels";
    this.element.setAttribute("aria-hidden", "true");
  }

  set scheme(scheme: Scheme) {
    this.#scheme = scheme;
    this.#plates.clear();
  }

  /** Chooses and places them, for a view of so many pixels. */
  update(
    casts: readonly Cast[],
    chosen: Spot | null,
    isOn: boolean,
    camera: PerspectiveCamera,
    width: number,
    height: number,
  ): void {
    this.#count = 0;
    for (const cast of casts) {
      for (const crowd of cast.crowds) {
        const isChosen = chosen?.crowd === crowd;
        if (!isOn && !isChosen) continue;
        const count = isOn && crowd.isNamed ? Math.min(LOOKED_AT, crowd.poses.count) : 0;
        for (let row = 0; row < count; row++) this.#want(cast, crowd, row, isChosen && chosen.row === row, camera);
        if (isChosen && chosen.row >= count) this.#want(cast, crowd, chosen.row, true, camera);
      }
    }
    for (const plate of this.#shown) plate.isShown = false;
    const hadSome = this.#shown.length > 0;
    this.#shown.length = 0;
    for (let i = 0; i < this.#count; i++) {
      const wanted = this.#wanted[i]!;
      const text = wanted.crowd!.label(wanted.row);
      if (text === "") continue;
      const plate = this.#plateOf(text, wanted.ghost, wanted.isChosen);
      // where it would be cut by the edge, it is moved in
      const aside = Math.max(0, (width - plate.width) / 2);
      const x = Math.max(-aside, Math.min(aside, (wanted.x * width) / 2));
      const y = Math.min((wanted.y * height) / 2, height / 2 - HEIGHT);
      if (!wanted.isChosen && this.#isTaken(x, y, plate.width)) continue;
      plate.x = x;
      plate.y = y;
      plate.isShown = true;
      this.#shown.push(plate);
    }
    if (hadSome || this.#shown.length > 0) this.#write(width, height);
    this.element.dataset["shown"] = String(this.#shown.length);
  }

  /** Writes what is shown, the nearest last. Setting a size empties the canvas, too. */
  #write(width: number, height: number): void {
    const ratio = this.#ratio();
    this.element.width = Math.round(width * ratio);
    this.element.height = Math.round(height * ratio);
    for (let i = this.#shown.length - 1; i >= 0; i--) {
      const { picture, width: wide, x, y } = this.#shown[i]!;
      const left = Math.round((width / 2 + x - wide / 2) * ratio);
      const top = Math.round((height / 2 - y - HEIGHT) * ratio);
      this.#context.drawImage(picture, left, top, wide * ratio, HEIGHT * ratio);
    }
  }

  /** Puts it in among the nearest so far, what is chosen first. */
  #want(cast: Cast, crowd: Crowd, row: number, isChosen: boolean, camera: PerspectiveCamera): void {
    if (!crowd.poses.isDrawn(row)) return;
    placeOf(crowd, row, PLACE);
    PLACE.y += crowd.top * crowd.frame.matrixWorld.getMaxScaleOnAxis();
    const distance = isChosen ? -1 : PLACE.distanceToSquared(camera.position);
    if (this.#count === MOST && this.#wanted[MOST - 1]!.distance <= distance) return;
    NDC.copy(PLACE).project(camera);
    if (Math.abs(NDC.x) > 1 || Math.abs(NDC.y) > 1 || NDC.z > 1 || NDC.z < -1) return;
    if (this.#count < MOST) this.#count++;
    let at = this.#count - 1;
    const free = this.#wanted[at]!;
    for (; at > 0 && this.#wanted[at - 1]!.distance > distance; at--) this.#wanted[at] = this.#wanted[at - 1]!;
    this.#wanted[at] = free;
    free.crowd = crowd;
    free.row = row;
    free.ghost = cast.look.ghost;
    free.isChosen = isChosen;
    free.distance = distance;
    free.x = NDC.x;
    free.y = NDC.y;
  }

  #isTaken(x: number, y: number, width: number): boolean {
    for (const other of this.#shown) {
      if (Math.abs(other.y - y) < HEIGHT && Math.abs(other.x - x) < (other.width + width) / 2) return true;
    }
    return false;
  }

  /** One that says so and is not shown yet: several may have one name. */
  #plateOf(text: string, ghost: number, isChosen: boolean): Plate {
    for (let same = 0; ; same++) {
      const key = `${same} ${ghost} ${isChosen} ${text}`;
      const found = this.#plates.get(key);
      if (found?.isShown === true) continue;
      const plate = found ?? new Plate(text, ghost, isChosen, this.#scheme, this.#ratio());
      this.#plates.delete(key);
      this.#plates.set(key, plate);
      if (this.#plates.size > KEPT) this.#plates.delete(this.#plates.keys().next().value!);
      return plate;
    }
  }
}

class Wanted {
  crowd: Crowd | null = null;
  row = 0;
  ghost = -1;
  isChosen = false;
  distance = 0;
  x = 0;
  y = 0;
}

/** One name on a plate of its own. */
class Plate {
  readonly picture: HTMLCanvasElement = document.createElement("canvas");
  isShown = false;
  /** Pixels, from the middle of the view. */
  x = 0;
  y = 0;
  readonly width: number;

  constructor(text: string, ghost: number, isChosen: boolean, scheme: Scheme, sharp: number) {
    const canvas = this.picture;
    const context = canvas.getContext("2d")!;
    const font = `${isChosen ? 600 : 500} ${FONT}px system-ui, sans-serif`;
    context.font = font;
    const short = text.length > 60 ? `${text.slice(0, 59)}…` : text;
    this.width = Math.ceil(context.measureText(short).width) + 3 * PAD;
    canvas.width = this.width * sharp;
    canvas.height = HEIGHT * sharp;
    const colors = SURROUNDINGS[scheme];
    context.scale(sharp, sharp);
    context.font = font;
    context.textBaseline = "middle";
    context.fillStyle = colors.plate;
    context.strokeStyle = ghost >= 0 ? ghostColor(ghost).getStyle() : isChosen ? colors.accent : colors.edge;
    context.lineWidth = isChosen || ghost >= 0 ? 2 : 1;
    context.beginPath();
    context.roundRect(1, 1, this.width - 2, HEIGHT - 4, 5);
    context.fill();
    context.stroke();
    context.fillStyle = colors.text;
    context.fillText(short, 1.5 * PAD, HEIGHT / 2 - 0.5);
  }
}

const PLACE = new Vector3();
const NDC = new Vector3();
