import {
  Color,
  type ColorRepresentation,
  MeshBasicMaterial,
  MeshLambertMaterial,
  MeshPhongMaterial,
  type Side,
  type Texture,
} from "three";
import type { Scheme } from "../../theme.ts";

/** Where the sun stands, as a direction. */
export const SUN = [0.42, 0.78, 0.46] as const;

/** Colours of what is around the things, by scheme; strength of light and shadow. */
export const SURROUNDINGS = {
  light: {
    haze: "#e9f0f4",
    zenith: "#8db7db",
    sun: "#fff3dc",
    sky: { color: "#e3efff", intensity: 1.7 },
    bounce: "#b9b2a6",
    shadow: 0.3,
    ground: "#d3dbde",
    road: "#b3bdc4",
    line: "#8d9da9",
    text: "#1b2126",
    plate: "rgb(255 255 255 / 86%)",
    edge: "rgb(27 33 38 / 18%)",
    accent: "#0b7285",
  },
  dark: {
    haze: "#28333d",
    zenith: "#0b1016",
    sun: "#ffe9c9",
    sky: { color: "#b4cdec", intensity: 1.5 },
    bounce: "#464f56",
    shadow: 0.5,
    ground: "#1c242a",
    road: "#12181d",
    line: "#556675",
    text: "#e6ebef",
    plate: "rgb(16 20 24 / 80%)",
    edge: "rgb(230 235 239 / 16%)",
    accent: "#3bc9db",
  },
} as const satisfies Record<Scheme, unknown>;

/** One for each ghost, in their order, over again: distinguished from one another and from what plays. */
const GHOSTS = ["#be4bdb", "#fd7e14", "#40c057", "#e64980"];

/** Colours that are distinguished, for things that say nothing of their own. */
const PALETTE = ["#4dabf7", "#ffa94d", "#69db7c", "#ff8787", "#b197fc", "#38d9a9", "#ffd43b", "#f783ac"].map(
  (name) => new Color(name),
);

/** How the things of one recording are painted: as they are, or as a ghost. */
export class Look {
  /** -1: what is played. */
  readonly ghost: number;
  readonly #tint: Color | null;
  readonly #painted: Color = new Color();

  constructor(ghost: number) {
    this.ghost = ghost;
    this.#tint = ghost < 0 ? null : ghostColor(ghost);
  }

  /**
   * Of things that are lit; instance colours are multiplied with white. With `shine`, from 0 to 1, they are polished.
   */
  material(
    options: {
      readonly side?: Side;
      readonly opacity?: number;
      readonly flatShading?: boolean;
      readonly vertexColors?: boolean;
      readonly map?: Texture;
      readonly shine?: number;
    } = {},
  ): MeshLambertMaterial | MeshPhongMaterial {
    const { shine, ...others } = options;
    const opacity = (options.opacity ?? 1) * (this.#tint === null ? 1 : 0.5);
    const parameters = { ...others, opacity, transparent: opacity < 1, depthWrite: opacity >= 1 };
    if (shine === undefined) return new MeshLambertMaterial(parameters);
    return new MeshPhongMaterial({ ...parameters, specular: new Color().setScalar(shine), shininess: 60 });
  }

  /** Of lamps: their colour whatever the light. */
  glow(options: { readonly opacity?: number } = {}): MeshBasicMaterial {
    const opacity = (options.opacity ?? 1) * (this.#tint === null ? 1 : 0.5);
    return new MeshBasicMaterial({ opacity, transparent: opacity < 1, depthWrite: opacity >= 1 });
  }

  /** The colour to paint with; valid until the next call. */
  paint(color: Color): Color {
    this.#painted.copy(color);
    return this.#tint === null ? this.#painted : this.#painted.lerp(this.#tint, 0.75);
  }
}

export function ghostColor(ghost: number): Color {
  return new Color(GHOSTS[ghost % GHOSTS.length]!);
}

/** Always the same colour for the same name. */
export function colorOf(name: string | number): Color {
  if (typeof name === "number") return PALETTE[Math.abs(Math.trunc(name)) % PALETTE.length]!;
  let hash = 0;
  for (let i = 0; i < name.length; i++) hash = (hash * 31 + name.charCodeAt(i)) | 0;
  return PALETTE[Math.abs(hash) % PALETTE.length]!;
}

export function color(of: ColorRepresentation): Color {
  return new Color(of);
}
