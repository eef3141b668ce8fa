import {
  CanvasTexture,
  Group,
  LinearFilter,
  type PerspectiveCamera,
  Sprite,
  SpriteMaterial,
  SRGBColorSpace,
  Vector3,
} from "three";
import type { Scheme } from "../theme.ts";
import type { Cast } from "./cast.ts";
import { ghostColor, SURROUNDINGS } from "./look.ts";
import { placeOf, type Spot } from "./pick.ts";
import type { Crowd } from "./presenters/presenter.ts";

/** Shown at once, at most; of more, the nearest. */
const MOST = 20;
/** Of one crowd so many are looked at. */
const LOOKED_AT = 400;
/** Pixels of a line of text, and around it. */
const FONT = 12;
const PAD = 5;
const HEIGHT = FONT + 2 * PAD;

/** Names above things: always the same size, never over one another, those of the nearest first. */
export class Labels {
  readonly object: Group = new Group();
  readonly #sprites: Plate[] = [];
  readonly #wanted: Wanted[] = Array.from({ length: MOST }, () => new Wanted());
  #count = 0;
  #scheme: Scheme = "dark";

  set scheme(scheme: Scheme) {
    this.#scheme = scheme;
    for (const plate of this.#sprites) plate.forget();
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
    const pixel = (2 * Math.tan((camera.fov * Math.PI) / 360)) / Math.max(1, height);
    let shown = 0;
    for (let i = 0; i < this.#count; i++) {
      const wanted = this.#wanted[i]!;
      const plate = this.#plate(shown);
      const text = wanted.crowd!.label(wanted.row);
      if (text === "") continue;
      plate.write(text, wanted.ghost, wanted.isChosen, this.#scheme);
      const x = (wanted.x * width) / 2;
      const y = (wanted.y * height) / 2;
      if (!wanted.isChosen && this.#isTaken(shown, x, y, plate.width)) continue;
      plate.x = x;
      plate.y = y;
      plate.sprite.position.copy(wanted.place);
      plate.sprite.scale.set(plate.width * pixel, HEIGHT * pixel, 1);
      plate.sprite.visible = true;
      shown++;
    }
    for (let i = shown; i < this.#sprites.length; i++) this.#sprites[i]!.sprite.visible = false;
  }

  dispose(): void {
    for (const plate of this.#sprites) plate.dispose();
  }

  /** Puts it in among the nearest so far, what is chosen first. */
  #want(cast: Cast, crowd: Crowd, row: number, isChosen: boolean, camera: PerspectiveCamera): void {
    if (!crowd.poses.isKnown(row)) return;
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
    free.place.copy(PLACE);
  }

  #isTaken(shown: number, x: number, y: number, width: number): boolean {
    for (let i = 0; i < shown; i++) {
      const other = this.#sprites[i]!;
      if (Math.abs(other.y - y) < HEIGHT && Math.abs(other.x - x) < (other.width + width) / 2) return true;
    }
    return false;
  }

  #plate(index: number): Plate {
    let plate = this.#sprites[index];
    if (plate === undefined) {
      plate = new Plate();
      this.#sprites.push(plate);
      this.object.add(plate.sprite);
    }
    return plate;
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
  readonly place: Vector3 = new Vector3();
}

/** One name on a plate of its own; it is drawn again only when it says something else. */
class Plate {
  readonly sprite: Sprite;
  /** Pixels, from the middle of the view. */
  x = 0;
  y = 0;
  width = 0;
  readonly #canvas = document.createElement("canvas");
  #texture: CanvasTexture | null = null;
  #text = "";
  #ghost = -1;
  #isChosen = false;

  constructor() {
    const material = new SpriteMaterial({ depthTest: false, depthWrite: false, sizeAttenuation: false, fog: false });
    this.sprite = new Sprite(material);
    this.sprite.center.set(0.5, 0);
    this.sprite.renderOrder = 10;
  }

  forget(): void {
    this.#text = "";
  }

  write(text: string, ghost: number, isChosen: boolean, scheme: Scheme): void {
    if (text === this.#text && ghost === this.#ghost && isChosen === this.#isChosen) return;
    this.#text = text;
    this.#ghost = ghost;
    this.#isChosen = isChosen;
    const canvas = this.#canvas;
    const sharp = Math.max(2, Math.ceil(devicePixelRatio));
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
    // The texture's size is fixed once it was used: another text needs another.
    this.#texture?.dispose();
    this.#texture = new CanvasTexture(canvas);
    this.#texture.colorSpace = SRGBColorSpace;
    this.#texture.generateMipmaps = false;
    this.#texture.minFilter = LinearFilter;
    this.sprite.material.map = this.#texture;
    this.sprite.material.needsUpdate = true;
  }

  dispose(): void {
    this.#texture?.dispose();
    this.sprite.material.dispose();
  }
}

const PLACE = new Vector3();
const NDC = new Vector3();
