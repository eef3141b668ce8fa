import { Color, type ColorRepresentation, MeshBasicMaterial, MeshLambertMaterial, type Side } from "three";
import type { Scheme } from "../theme.ts";

/** Colours of what is around the things, by scheme. */
export const SURROUNDINGS = {
  light: {
    sky: "#f1f5f8",
    ground: "#d6dfe6",
    line: "#9fb0bd",
    text: "#1b2126",
    plate: "rgb(255 255 255 / 82%)",
    accent: "#0b7285",
  },
  dark: {
    sky: "#15191d",
    ground: "#20272d",
    line: "#596672",
    text: "#e6ebef",
    plate: "rgb(20 24 28 / 78%)",
    accent: "#3bc9db",
  },
} as const satisfies Record<Scheme, unknown>;

/** One for each ghost, in their order, over again: told apart from one another and from what plays. */
const GHOSTS = ["#be4bdb", "#fd7e14", "#40c057", "#e64980"];

/** Colours that are told apart, for things that say nothing of their own. */
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

  /** Of things that are lit; instance colours are multiplied with white. */
  material(
    options: {
      readonly side?: Side;
      readonly opacity?: number;
      readonly flatShading?: boolean;
      readonly vertexColors?: boolean;
    } = {},
  ): MeshLambertMaterial {
    const opacity = (options.opacity ?? 1) * (this.#tint === null ? 1 : 0.5);
    return new MeshLambertMaterial({ ...options, opacity, transparent: opacity < 1, depthWrite: opacity >= 1 });
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
