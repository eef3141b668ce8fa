import type { State } from "../../model/state/state.ts";
import { boundsOf, labelOf, Layers, viewOf } from "../screen/layers.ts";
import { pngOf } from "./png.ts";

/** Dots of the picture. */
const [WIDTH, HEIGHT] = [900, 675];
/** Metres between two lines of the grid: the picture has about so many beside each other. */
const LINES = 9;
/** Things that are listed beside the picture. */
const LISTED = 60;

/** Colours of sets, the foremost first: they differ for eyes that see red and green alike, too (Okabe and Ito). */
const COLOURS = [
  ["blue", [0, 114, 178]],
  ["orange", [230, 159, 0]],
  ["green", [0, 158, 115]],
  ["red", [213, 94, 0]],
  ["pink", [204, 121, 167]],
  ["light blue", [86, 180, 233]],
] as const;
const BACKGROUND = [255, 255, 255] as const;
const GRID = [225, 225, 225] as const;

/** A map from above, and what is on it. */
export interface MapPicture {
  readonly png: Uint8Array;
  readonly legend: {
    /** Metres between two lines of the grid, and of the whole picture. */
    readonly grid: number;
    readonly width: number;
    readonly height: number;
    readonly sets: readonly { readonly set: string; readonly colour: string; readonly things: number }[];
    /** The first things, with where they are: metres, x to the right, y upwards; and dots from the upper left, null outside. */
    readonly things: readonly {
      readonly set: string;
      readonly id: number | string;
      readonly label: string;
      readonly x: number;
      readonly y: number;
      readonly z: number;
      readonly dot: readonly [number, number] | null;
    }[];
  };
}

/** The map of a state; null: nothing has a place. `foremost`: as `Showing.things`. */
export function mapPicture(state: State, foremost: readonly string[] = []): MapPicture | null {
  const layers = new Layers(foremost).of(state);
  if (layers.length === 0) return null;
  const view = viewOf(boundsOf(layers[0]!, null), WIDTH, HEIGHT);
  const dots = new Uint8Array(WIDTH * HEIGHT);
  const grid = gridOf(WIDTH / view.dots);
  drawGrid(dots, view.x(0), view.y(0), grid * view.dots);
  const sets: { set: string; colour: string; things: number }[] = [];
  const things: MapPicture["legend"]["things"][number][] = [];
  for (const [k, layer] of layers.entries()) {
    const place = k % COLOURS.length;
    const radius = layer.count > 2000 ? 1 : layer.count > 100 ? 2 : 5;
    sets.push({ set: layer.name, colour: COLOURS[place]![0], things: layer.count });
    for (let i = 0; i < layer.count; i++) {
      const [x, y, z] = [layer.points[3 * i]!, layer.points[3 * i + 1]!, layer.points[3 * i + 2]!];
      const [across, down] = [Math.round(view.x(x)), Math.round(view.y(y))];
      const isInside = across >= 0 && across < WIDTH && down >= 0 && down < HEIGHT;
      const dot = isInside ? ([across, down] as const) : null;
      disc(dots, across, down, radius, place + 2);
      if (things.length < LISTED)
        things.push({ set: layer.name, id: layer.set.ids[layer.rows[i]!]!, label: labelOf(layer, i), x, y, z, dot });
    }
  }
  const palette = [BACKGROUND, GRID, ...COLOURS.map(([, colour]) => colour)];
  return {
    png: pngOf({ width: WIDTH, height: HEIGHT, dots, palette }),
    legend: { grid, width: WIDTH / view.dots, height: HEIGHT / view.dots, sets, things },
  };
}

/** 1, 2 or 5 times a power of ten. */
function gridOf(width: number): number {
  const power = 10 ** Math.floor(Math.log10(width / LINES));
  return [1, 2, 5, 10].map((digit) => digit * power).find((length) => width / length <= LINES) ?? power;
}

function drawGrid(dots: Uint8Array, x0: number, y0: number, step: number): void {
  for (let x = ((x0 % step) + step) % step; x < WIDTH; x += step)
    for (let y = 0; y < HEIGHT; y++) dots[y * WIDTH + Math.floor(x)] = 1;
  for (let y = ((y0 % step) + step) % step; y < HEIGHT; y += step)
    dots.fill(1, Math.floor(y) * WIDTH, (Math.floor(y) + 1) * WIDTH);
}

function disc(dots: Uint8Array, x0: number, y0: number, radius: number, colour: number): void {
  for (let y = Math.max(0, y0 - radius); y <= Math.min(HEIGHT - 1, y0 + radius); y++) {
    for (let x = Math.max(0, x0 - radius); x <= Math.min(WIDTH - 1, x0 + radius); x++)
      if ((x - x0) ** 2 + (y - y0) ** 2 <= radius ** 2 + 0.5) dots[y * WIDTH + x] = colour;
  }
}
