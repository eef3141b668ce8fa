import { Group, type Vector3 } from "three";
import type { State } from "simtape";
import type { Scheme } from "../../theme.ts";
import type { Paints, Scenery, Strip } from "../../world/companion.ts";
import type { Backdrop, MakeBackdrop } from "./backdrop.ts";
import { Origin } from "../things/origin.ts";
import type { WorldPart } from "./world-part.ts";

/** What a companion shows, and in which colours. */
export interface Shown {
  readonly scenery: Scenery;
  readonly paints: Paints;
}

/**
 * The world around the things of a recording. Its parts are made when it is known where the scene's zero is; `onChange` is
 * called when there is more of it, or less.
 */
export class World {
  readonly object: Group = new Group();
  readonly #isSoftware: boolean;
  readonly #onChange: () => void;
  readonly #onLoad: (part: Promise<unknown>) => void;
  #origin = new Origin();
  #state: State | null = null;
  #makeBackdrop: MakeBackdrop | null = null;
  #shown: readonly Shown[] = [];
  #backdrop: Backdrop | null = null;
  #sceneries: WorldPart[] | null = null;
  #isOn = true;
  #isCut = false;
  #scheme: Scheme = "dark";

  /** `onLoad` gets what settles when a part that is being loaded is there. */
  constructor(isSoftware: boolean, onChange: () => void, onLoad: (part: Promise<unknown>) => void) {
    this.#isSoftware = isSoftware;
    this.#onChange = onChange;
    this.#onLoad = onLoad;
  }

  /** Makes what draws blocks; null: there are none. */
  set blocks(make: MakeBackdrop | null) {
    if (make === this.#makeBackdrop) return;
    this.#dropBackdrop();
    this.#makeBackdrop = make;
    this.#make();
  }

  set sceneries(shown: readonly Shown[]) {
    if (shown === this.#shown) return;
    this.#dropSceneries();
    this.#shown = shown;
    this.#make();
  }

  set isOn(isOn: boolean) {
    this.#isOn = isOn;
    for (const part of this.#parts) part.isOn = isOn;
    this.#onChange();
  }

  /** Whether blocks above the head of who is looked at are left out. */
  set isCut(isCut: boolean) {
    this.#isCut = isCut;
    if (this.#backdrop !== null) this.#backdrop.isCut = isCut;
    this.#onChange();
  }

  set scheme(scheme: Scheme) {
    this.#scheme = scheme;
    for (const part of this.#parts) part.scheme = scheme;
  }

  /** Of the scene's own ground: its grid, a plain, or none as there is another. */
  get ground(): "grid" | "plain" | "none" {
    const shown = this.#parts.filter((part) => part.isShown && part.leavesGround !== true);
    if (shown.length === 0) return "grid";
    return shown.some((part) => part.coversGround) ? "none" : "plain";
  }

  /** Height of the ground in the scene; null: it says nothing of it. */
  get floor(): number | null {
    for (const part of this.#parts) if (part.isShown && part.floor !== null) return part.floor;
    return null;
  }

  /** Runways, for a map of them. */
  get strips(): readonly Strip[] {
    return this.#isOn ? this.#shown.flatMap(({ scenery: { strips = [] } }) => strips) : [];
  }

  describe(): string {
    const words = this.#parts.map((part) => part.describe()).filter((text) => text !== "");
    return words.join(", ");
  }

  update(state: State): void {
    this.#state = state;
    if (!this.#make()) for (const part of this.#parts) part.update(state);
  }

  look(target: Vector3, feet: number | null): void {
    for (const part of this.#parts) part.look?.(target, feet);
  }

  /** Another recording, whose zero is elsewhere. */
  reset(origin: Origin): void {
    this.#dropBackdrop();
    this.#dropSceneries();
    this.#origin = origin;
    this.#state = null;
  }

  get #parts(): readonly WorldPart[] {
    return [...(this.#backdrop === null ? [] : [this.#backdrop]), ...(this.#sceneries ?? [])];
  }

  /** Makes what is not there yet; whether there was anything to make. */
  #make(): boolean {
    const state = this.#state;
    if (state === null || !this.#origin.isKnown) return false;
    const before = this.#parts.length;
    if (this.#backdrop === null && this.#makeBackdrop !== null) {
      this.#backdrop = this.#makeBackdrop(this.#origin, this.#isSoftware, this.#onChange);
      this.#backdrop.isCut = this.#isCut;
    }
    if (this.#sceneries === null && this.#shown.length > 0) {
      const load = this.#load(this.#shown, this.#origin);
      load.catch(() => undefined);
      this.#onLoad(load);
    }
    if (this.#parts.length > before) this.#join(state);
    this.#onChange();
    return this.#parts.length > before;
  }

  /** What draws companions is loaded with the first of them. */
  async #load(shown: readonly Shown[], origin: Origin): Promise<void> {
    this.#sceneries = [];
    const { SceneryView } = await import("./scenery-view.ts");
    if (shown !== this.#shown || origin !== this.#origin) return;
    const reliefs = shown.flatMap(({ scenery: { relief } }) => (relief === undefined ? [] : [relief]));
    this.#sceneries = shown.map(
      ({ scenery, paints }) => new SceneryView(scenery, paints, origin, this.#isSoftware, reliefs),
    );
    if (this.#state !== null) this.#join(this.#state);
    this.#onChange();
  }

  #join(state: State): void {
    for (const part of this.#parts) {
      part.isOn = this.#isOn;
      part.scheme = this.#scheme;
      part.update(state);
      this.object.add(part.object);
    }
  }

  #dropBackdrop(): void {
    if (this.#backdrop !== null) this.#drop(this.#backdrop);
    this.#backdrop = null;
  }

  #dropSceneries(): void {
    for (const part of this.#sceneries ?? []) this.#drop(part);
    this.#sceneries = null;
  }

  #drop(part: WorldPart): void {
    this.object.remove(part.object);
    part.dispose();
  }
}
