import { type Box3, Color, Group } from "three";
import type { State } from "simtape";
import { color } from "../../drawing/look.ts";
import { textAt } from "../cells.ts";
import { type Choices, counted, type Filler, type Presenter, type PresenterKind, type Setting } from "../presenter.ts";
import { moleculeReadings } from "../readings.ts";
import { roomPose } from "../room.ts";
import { SetCrowd } from "../set-crowd.ts";
import { Balls } from "./balls.ts";
import { longestBond, SimulationBox } from "./box.ts";
import { elementColor } from "./elements.ts";
import type { LegendLine, MoleculeFacts } from "./facts.ts";
import { Paced } from "./paced.ts";
import { People } from "./people.ts";
import { Pulls } from "./pulls.ts";
import type { DrawnColor, DrawnStyle, MoleculePart, MoleculeSettings } from "./settings.ts";
import type { Solid } from "./solid.ts";
import { NONE, type Structure, Structures } from "./structure.ts";
import { tintOf } from "./tint.ts";

/** Particles as chemists draw them, the box; who is in the room, what they pull at, and with what force. */
export const molecules: PresenterKind = {
  claims: (name) => name === "particles" || name === "avatars" || name === "interactions",
  make: (setting) => new Molecules(setting),
};

/** Where there are so many residues of a protein or nucleic acid, their course says more than their atoms. */
const MANY_RESIDUES = 30;
const NM = 1e-9;
/** nm, of what is pointed at. */
const REACH = 0.06;
const CHOSEN = color("#35f06a");
/** How much of its colour what is chosen takes from that. */
const BRIGHT = 0.75;

type More = typeof import("./more.ts");

class Molecules implements Presenter {
  /** The room, in metres. In `#simulation` lengths are nm: 1 nm is shown as 1 m when its place is not recorded. */
  readonly object: Group = new Group();
  readonly isJourney: boolean = false;
  readonly crowds: SetCrowd[];
  readonly #setting: Setting;
  readonly #simulation = new Group();
  readonly #particles: SetCrowd;
  readonly #avatars: SetCrowd;
  readonly #interactions: SetCrowd;
  readonly #balls: Balls;
  readonly #pulls: Pulls;
  readonly #people: People;
  readonly #box: SimulationBox;
  readonly #structures = new Structures();
  #structure: Structure | null = null;
  /** As it came, and as it is drawn. */
  #given: State | null = null;
  #state: State | null = null;
  #filler: Filler | null = null;
  #scene: unknown;
  #settings: MoleculeSettings = {};
  #chosen: { readonly id: number | string } | null = null;
  /** Whether settings, structure or what is loaded are others than those that were drawn. */
  #isStale = false;
  #more: More | null = null;
  #surface: typeof import("./surface.ts").Surface | null = null;
  /** What draws the style, where that is not balls. */
  #solid: { readonly style: DrawnStyle; readonly solid: Solid } | null = null;
  readonly #loading = new Set<string>();
  /** Of each atom: whether it is shown, whether as a ball, and its colour. */
  #isShown = new Uint8Array(0);
  #isBall = new Uint8Array(0);
  #balled = 0;
  #shades = new Float32Array(0);
  #tints: unknown;
  #secondary = new Uint8Array(0);
  #legend: readonly LegendLine[] = [];
  readonly #secondaryPace: Paced;
  readonly #solidPace: Paced;

  constructor(setting: Setting) {
    this.#setting = setting;
    const { look } = setting;
    this.#balls = new Balls(look);
    this.#pulls = new Pulls(look);
    this.#people = new People(look);
    this.#box = new SimulationBox(look);
    // places in the room count from its zero, also where it is empty of people
    setting.origin.local([0, 0, 0], 0);
    this.#simulation.matrixAutoUpdate = false;
    this.#simulation.add(this.#balls.object, this.#pulls.object, this.#box.object);
    this.object.add(this.#simulation, this.#people.object);
    const readings = moleculeReadings;
    const nm = { metres: NM, eye: 0, top: 0.12, readings, isMain: false };
    this.#particles = new SetCrowd("particles", this.#simulation, setting, {
      ...nm,
      radius: REACH,
      label: (set, row) => this.#structure?.label(row, set.ids[row]!) ?? "",
    });
    this.#interactions = new SetCrowd("interactions", this.#simulation, setting, { ...nm, radius: 0.05 });
    this.#avatars = new SetCrowd("avatars", this.object, setting, {
      radius: 0.15,
      eye: 0,
      top: 0.2,
      ahead: "-z",
      travels: false,
      readings,
      label: (set, row) => (textAt(set, "kind", row) === "headset" ? textAt(set, "label", row) : ""),
    });
    this.crowds = [this.#avatars, this.#interactions, this.#particles];
    // Helices and strands hardly ever change, and to find them takes longer than to draw them.
    this.#secondaryPace = new Paced(() => this.#findSecondary());
    this.#solidPace = new Paced(() => {
      this.#drawSolid();
      this.#setting.redraw?.();
    }, 0);
  }

  adopt(): void {
    // Its sets are known by name.
  }

  choose({ molecules, filler, single }: Choices): void {
    const chosen = single?.set === "particles" ? single : null;
    if (molecules === this.#settings && filler === this.#filler && chosen?.id === this.#chosen?.id) return;
    this.#settings = molecules;
    this.#filler = filler;
    this.#chosen = chosen;
    this.#refresh();
  }

  get facts(): MoleculeFacts | null {
    const [structure, state] = [this.#structure, this.#state];
    if (structure === null || state === null || structure.count === 0) return null;
    const { strongest: force } = this.#pulls;
    return { structure, state, style: this.#style, color: this.#color, legend: this.#legend, force };
  }

  update(given: State): void {
    this.#given = given;
    const state = this.#filler?.(given) ?? given;
    this.#state = state;
    this.#place(state);
    const areOthers = this.#particles.update(state);
    const structure = this.#structures.update(state, this.#particles.entities);
    const tints = this.#particles.entities?.columns.get("color")?.data;
    const isOther = structure !== this.#structure || tints !== this.#tints || this.#isStale;
    this.#structure = structure;
    this.#tints = tints;
    this.#isStale = false;
    if (isOther) this.#dress(state);
    if (areOthers || isOther) {
      if (this.#needsSecondary) this.#secondaryPace.request();
      this.#drawAtoms();
      if (this.#solid?.style === "surface") this.#solidPace.request();
      else this.#drawSolid();
    }
    this.#box.update(state.values.get("system.box.vectors"));
    if (this.#avatars.update(state)) this.#people.update(this.#avatars);
    // What is pulled moves with every frame.
    if (this.#interactions.update(state) || areOthers)
      this.#pulls.update(state, this.#interactions.poses, this.#particles.poses);
  }

  frame(box: Box3): void {
    this.object.updateWorldMatrix(true, true);
    this.#particles.widen(box, 0.05 * this.#simulation.matrixWorld.getMaxScaleOnAxis());
    if (box.isEmpty()) this.#avatars.widen(box, 0.2);
  }

  /** That of the room. */
  get floor(): number | null {
    return this.#avatars.poses.count > 0 ? 0 : null;
  }

  describe(): string {
    const { count } = this.#particles.poses;
    const people = new Set(this.#avatars.poses.ids.map((id) => String(id).split("/")[0])).size;
    const style = this.#style;
    const { molecules: hidden = 0 } = this.#structure?.solvent ?? {};
    const isDrawnByBonds = this.#solid === null && style !== "spacefill";
    const bonds = isDrawnByBonds ? this.#balls.bonds : (this.#structure?.bonds.length ?? 0) >> 1;
    return [
      counted(count, "atom"),
      counted(bonds, "bond"),
      ...(style === "ball-and-stick" ? [] : [`drawn as ${style}`]),
      ...(hidden > 0 && this.#settings.solvent !== true ? [`${counted(hidden, "molecule")} of solvent hidden`] : []),
      counted(people, "person", "people"),
    ].join(", ");
  }

  dispose(): void {
    this.#secondaryPace.dispose();
    this.#solidPace.dispose();
    for (const part of [this.#balls, this.#pulls, this.#people, this.#box]) part.dispose();
    this.#solid?.solid.dispose();
  }

  /** The one that is wanted. */
  get #style(): DrawnStyle {
    const { style = "auto" } = this.#settings;
    if (style !== "auto") return style;
    return (this.#structure?.polymers ?? 0) >= MANY_RESIDUES ? "cartoon" : "ball-and-stick";
  }

  get #color(): DrawnColor {
    const { color: by = "auto" } = this.#settings;
    if (by !== "auto") return by;
    return this.#style === "cartoon" ? "secondary" : "element";
  }

  get #needsSecondary(): boolean {
    return this.#more !== null && (this.#style === "cartoon" || this.#color === "secondary");
  }

  /** Draws what is shown again: something beside it has changed. */
  #refresh(): void {
    this.#isStale = true;
    if (this.#given === null) return;
    this.update(this.#given);
    this.#setting.redraw?.();
  }

  #place(state: State): void {
    const scene = state.values.get("state/scene");
    if (scene === this.#scene) return;
    this.#scene = scene;
    if (!roomPose(scene, this.#simulation.matrix)) this.#simulation.matrix.identity();
    this.#simulation.matrixWorldNeedsUpdate = true;
  }

  /** Chooses what is drawn as what, in which colours. */
  #dress(state: State): void {
    const structure = this.#structure;
    if (structure === null) return;
    const { count } = structure;
    this.#load();
    if (this.#secondary.length !== structure.residues) {
      this.#secondary = new Uint8Array(structure.residues);
      if (this.#needsSecondary) this.#more!.secondary(structure, this.#particles.poses.positions, this.#secondary);
    }
    this.#select(structure);
    const { poses } = this.#particles;
    poses.leftOut = this.#settings.solvent === true ? null : structure.isSolvent;
    this.#particles.enlarge(this.#style === "spacefill" || this.#style === "surface" ? 2.2 : 1);
    if (this.#shades.length !== 3 * count) this.#shades = new Float32Array(3 * count);
    this.#paint(structure, state);
  }

  /** What is shown, and what of it as balls. */
  #select(structure: Structure): void {
    const { count, isSolvent } = structure;
    const isAll = this.#settings.solvent === true;
    this.#isShown = Uint8Array.from({ length: count }, (_, row) => (isAll || isSolvent[row] === 0 ? 1 : 0));
    const covered = this.#solid?.solid.covers(structure);
    this.#isBall = this.#isShown.slice();
    if (covered !== undefined) for (let row = 0; row < count; row++) if (covered[row] === 1) this.#isBall[row] = 0;
    // Of a cartoon one wants to see the atoms of the residue that is looked at.
    if (this.#solid?.style === "cartoon" && this.#part !== "chain")
      for (const row of this.#chosenRows(structure, "residue")) this.#isBall[row] = this.#isShown[row]!;
    this.#balled = this.#isBall.reduce((sum, one) => sum + one, 0);
  }

  get #part(): MoleculePart {
    return this.#settings.part ?? "atom";
  }

  /** Atoms of what is chosen. */
  *#chosenRows(structure: Structure, part: MoleculePart): Generator<number> {
    const row = this.#chosen === null ? -1 : this.#particles.poses.find(this.#chosen.id);
    if (row < 0) return;
    const [residue, chain] = [structure.residueOf[row]!, structure.chainOfAtom(row)];
    for (let other = 0; other < structure.count; other++) {
      const isOfResidue = part === "residue" && residue !== NONE && structure.residueOf[other] === residue;
      const isOfChain = part === "chain" && chain !== NONE && structure.chainOfAtom(other) === chain;
      if (other === row || isOfResidue || isOfChain) yield other;
    }
  }

  #paint(structure: Structure, state: State): void {
    const { look } = this.#setting;
    const shades = this.#shades;
    const { entities } = this.#particles;
    const by = this.#color;
    const made = this.#more?.painter(by, structure, this.#secondary, state);
    this.#legend = made?.legend ?? [];
    const isAsRecorded = (this.#settings.color ?? "auto") === "auto" && entities !== undefined;
    for (let row = 0; row < structure.count; row++) {
      const usual = made?.paint(row) ?? elementColor(structure.elements[row]!);
      look.paint(isAsRecorded ? tintOf(entities, row, usual) : usual).toArray(shades, 3 * row);
    }
    for (const row of this.#chosenRows(structure, this.#part))
      MIXED.fromArray(shades, 3 * row)
        .lerp(CHOSEN, BRIGHT)
        .toArray(shades, 3 * row);
  }

  #drawAtoms(): void {
    const structure = this.#structure;
    if (structure === null) return;
    const longest = longestBond(this.#state?.values.get("system.box.vectors"));
    const style = this.#solid === null ? this.#style : "ball-and-stick";
    this.#balls.update(structure, this.#particles.poses, this.#shades, this.#isBall, this.#balled, style, longest);
  }

  #drawSolid(): void {
    const [structure, solid] = [this.#structure, this.#solid?.solid];
    if (solid === undefined) return;
    solid.object.visible = structure !== null && structure.count > 0;
    if (structure === null || structure.count === 0) return;
    const [shades, isShown, secondary] = [this.#shades, this.#isShown, this.#secondary];
    solid.update({ structure, positions: this.#particles.poses.positions, shades, isShown, secondary });
  }

  #findSecondary(): void {
    const [structure, more, state] = [this.#structure, this.#more, this.#state];
    if (structure === null || more === null || state === null) return;
    more.secondary(structure, this.#particles.poses.positions, this.#secondary);
    if (this.#color === "secondary") this.#paint(structure, state);
    if (this.#solid?.style === "cartoon") this.#drawSolid();
    else this.#drawAtoms();
    this.#setting.redraw?.();
  }

  /** Loads what the style and the colours need; until it is there, balls in colours of elements are drawn. */
  #load(): void {
    const style = this.#style;
    const isSolid = style === "cartoon" || style === "lines" || style === "surface";
    if (this.#more === null && (isSolid || this.#color !== "element")) {
      this.#fetch("more", async () => {
        this.#more = await import("./more.ts");
      });
    }
    if (style === "surface" && this.#surface === null) {
      this.#fetch("surface", async () => {
        this.#surface = (await import("./surface.ts")).Surface;
      });
    }
    if (this.#solid?.style === style) return;
    if (this.#solid !== null) {
      this.#simulation.remove(this.#solid.solid.object);
      this.#solid.solid.dispose();
      this.#solid = null;
    }
    if (this.#more === null) return;
    const { look } = this.#setting;
    if (style === "cartoon") this.#solid = { style, solid: new this.#more.Cartoon(look) };
    else if (style === "lines")
      this.#solid = {
        style,
        solid: new this.#more.Lines(() => longestBond(this.#state?.values.get("system.box.vectors"))),
      };
    else if (style === "surface" && this.#surface !== null) this.#solid = { style, solid: new this.#surface(look) };
    if (this.#solid !== null) this.#simulation.add(this.#solid.solid.object);
  }

  #fetch(name: string, load: () => Promise<void>): void {
    if (this.#loading.has(name)) return;
    this.#loading.add(name);
    load().then(
      () => this.#refresh(),
      // What cannot be loaded now may be asked for again.
      () => this.#loading.delete(name),
    );
  }
}

const MIXED = new Color();
