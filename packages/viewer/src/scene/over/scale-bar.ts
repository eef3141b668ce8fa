/** Pixels. */
const LONGEST = 110;
/** Metres in each, the largest first; shorter lengths are parts of the last, as chemists have them. */
const UNITS = [
  ["km", 1e3],
  ["m", 1],
  ["cm", 1e-2],
  ["mm", 1e-3],
  ["µm", 1e-6],
  ["nm", 1e-9],
] as const;

/** The longest round length of at most so many pixels, of which one is so many metres: 1, 2 or 5 of a power of ten. */
export function scaleOf(
  metresPerPixel: number,
  longest: number = LONGEST,
): { readonly pixels: number; readonly text: string } {
  const most = metresPerPixel * longest;
  const power = 10 ** Math.floor(Math.log10(most));
  const metres = ([5, 2, 1].find((factor) => factor * power <= most * (1 + 1e-9)) ?? 1) * power;
  const [unit, size] = UNITS.find((one) => metres >= one[1] * (1 - 1e-9)) ?? UNITS.at(-1)!;
  const text = `${Number((metres / size).toPrecision(1)).toLocaleString("en-GB")} ${unit}`;
  return { pixels: metres / metresPerPixel, text };
}

/** How long things are at the distance of what the camera looks at. */
export class ScaleBar {
  readonly element: HTMLElement = document.createElement("div");
  readonly #line = document.createElement("span");
  readonly #text = document.createElement("span");

  constructor() {
    this.element.className = "scene-scale";
    this.element.append(this.#text, this.#line);
  }

  /** NaN: there is none. */
  show(metresPerPixel: number): void {
    const isKnown = metresPerPixel > 0 && Number.isFinite(metresPerPixel);
    this.element.hidden = !isKnown;
    if (!isKnown) return;
    const { pixels, text } = scaleOf(metresPerPixel);
    const width = `${Math.round(pixels)}px`;
    if (this.#line.style.width !== width) this.#line.style.width = width;
    if (this.#text.textContent !== text) this.#text.textContent = text;
  }
}
