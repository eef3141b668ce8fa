import "uplot/dist/uPlot.min.css";
import { pathText, type Time } from "simtape";
import uPlot from "uplot";
import type { TimeScale } from "../clock.ts";
import { type Curve, chartOptions, tableOf } from "./chart-options.ts";
import type { PlotBox } from "../timeline/plot-box.ts";
import type { Scale } from "./scales.ts";
import type { Range } from "./shared.ts";

export interface PlotContent {
  /** The recording's own first. */
  readonly curves: readonly Curve[];
  /** By unit. */
  readonly scales: ReadonlyMap<string, Scale>;
  readonly range: Range;
  readonly width: number;
  readonly height: number;
  /** Pixels beside the drawn part, where it is over that of the timeline; null: as its numbers need. */
  readonly sides: PlotBox | null;
  readonly scheme: "light" | "dark";
  readonly scale: TimeScale;
}

export interface PlotEvents {
  seek(time: Time): void;
  zoom(factor: number, about: Time): void;
  /** Goes on by parts of what is shown. */
  pan(parts: number): void;
  range(range: Range): void;
  hover(): void;
}

/** Pixels that a pointer must move with shift held before it is a range. */
const LEAST_DRAG = 4;

/** The drawn part of a plot, in an element of its own: curves, the player's line, and what a pointer does to them. */
export class PlotView {
  readonly #element: HTMLElement;
  readonly #events: () => PlotEvents;
  readonly #now: HTMLElement = document.createElement("div");
  readonly #leave = new AbortController();
  #plot: uPlot | null = null;
  #shape = "";
  #content: PlotContent | null = null;
  #hovered: number | null = null;
  #drag: { readonly from: number; readonly isRange: boolean } | null = null;

  /** `events` gives the newest listeners each time. */
  constructor(element: HTMLElement, events: () => PlotEvents) {
    this.#element = element;
    this.#events = events;
    this.#now.className = "plot-now";
    const { signal } = this.#leave;
    element.addEventListener("wheel", (event) => this.#wheel(event), { passive: false, signal });
    element.addEventListener("pointerdown", (event) => this.#press(event), { signal });
    element.addEventListener("pointermove", (event) => this.#move(event), { signal });
    element.addEventListener("pointerup", (event) => this.#release(event), { signal });
    element.addEventListener("pointercancel", (event) => this.#release(event), { signal });
  }

  show(content: PlotContent): void {
    const before = this.#content;
    this.#content = content;
    const { curves, scales, range, width, height, sides, scheme, scale } = content;
    const visible = curves.map(({ line: { path, unit, interpolation }, ...look }) => [
      pathText(path),
      unit,
      interpolation,
      look,
    ]);
    const shape = JSON.stringify([visible, scheme, scale.mode, sides]);
    const isNew = shape !== this.#shape || this.#plot === null;
    if (isNew) {
      this.#shape = shape;
      this.#plot?.destroy();
      const { color, borderTopColor } = getComputedStyle(this.#element);
      const style = { scheme, text: color, grid: borderTopColor, font: "11px system-ui, sans-serif", scale };
      const rangeOf = (unit: string): [number, number] => {
        const { min, max } = this.#content!.scales.get(unit) ?? { min: 0, max: 1 };
        return [min, max];
      };
      const options = chartOptions({ width, height, sides }, curves, style, rangeOf, (index) => {
        this.#hovered = index;
        this.#events().hover();
      });
      this.#plot = new uPlot(options, [[]], this.#element);
      this.#plot.over.append(this.#now);
    } else if (width !== before?.width || height !== before.height) {
      this.#plot!.setSize({ width, height });
    }
    const isMoved = range.start !== before?.range.start || range.end !== before.range.end;
    if (!isNew && !isMoved && curves === before?.curves && scales === before.scales) return;
    const plot = this.#plot!;
    plot.batch(() => {
      if (isNew || curves !== before?.curves || scales !== before.scales)
        plot.setData(tableOf(curves.map(({ line }) => line)), true);
      plot.setScale("x", { min: range.start / 1e9, max: range.end / 1e9 });
    });
  }

  /** Puts the player's line at a time. */
  setNow(time: Time): void {
    const plot = this.#plot;
    if (plot === null) return;
    const left = plot.valToPos(time / 1e9, "x");
    this.#now.hidden = !(left >= -1 && left <= plot.over.clientWidth + 1);
    this.#now.style.transform = `translateX(${left}px)`;
  }

  /** The number of a line under the pointer, NaN where there is none; null while no pointer is there. */
  hovered(line: number): number | null {
    return this.#hovered === null || this.#plot === null ? null : this.#numberAt(line, this.#hovered);
  }

  /** The number of a line as it is drawn at a time; NaN where there is none. */
  drawn(line: number, time: Time): number {
    const seconds = this.#plot?.data[0];
    if (seconds === undefined || seconds.length === 0) return Number.NaN;
    const near = this.#plot!.valToIdx(time / 1e9);
    return this.#numberAt(line, near > 0 && seconds[near]! > time / 1e9 ? near - 1 : near);
  }

  /** Other lines have points at times where this one has none: then the one before counts. */
  #numberAt(line: number, index: number): number {
    const numbers = this.#plot?.data[line + 1];
    while (index > 0 && numbers?.[index] === undefined) index--;
    return numbers?.[index] ?? Number.NaN;
  }

  close(): void {
    this.#leave.abort();
    this.#plot?.destroy();
    this.#plot = null;
  }

  #wheel(event: WheelEvent): void {
    if (!this.#isOver(event)) return;
    event.preventDefault();
    const { deltaX, deltaY, shiftKey, clientX } = event;
    const isPan = shiftKey || Math.abs(deltaX) > Math.abs(deltaY);
    if (isPan) this.#events().pan((deltaX + deltaY) / this.#plot!.over.clientWidth);
    else this.#events().zoom(1.0015 ** deltaY, this.#timeAt(clientX));
  }

  #press(event: PointerEvent): void {
    if (event.button !== 0 || !this.#isOver(event)) return;
    this.#element.setPointerCapture(event.pointerId);
    this.#drag = { from: event.clientX, isRange: event.shiftKey };
    if (!event.shiftKey) this.#events().seek(this.#timeAt(event.clientX));
  }

  #move({ clientX }: PointerEvent): void {
    const plot = this.#plot;
    if (plot === null || this.#drag === null) return;
    if (!this.#drag.isRange) {
      this.#events().seek(this.#timeAt(clientX));
      return;
    }
    const { left: edge } = plot.over.getBoundingClientRect();
    const left = Math.min(this.#drag.from, clientX) - edge;
    const width = Math.abs(clientX - this.#drag.from);
    plot.setSelect({ left, top: 0, width, height: plot.over.clientHeight }, false);
  }

  #release({ clientX }: PointerEvent): void {
    const drag = this.#drag;
    this.#drag = null;
    if (drag === null || !drag.isRange) return;
    this.#plot?.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    if (Math.abs(clientX - drag.from) < LEAST_DRAG) return;
    const times = [this.#timeAt(drag.from), this.#timeAt(clientX)] as const;
    this.#events().range({ start: Math.min(...times), end: Math.max(...times) });
  }

  #isOver({ target }: Event): boolean {
    return target instanceof Node && this.#plot?.over.contains(target) === true;
  }

  #timeAt(clientX: number): Time {
    const plot = this.#plot!;
    return plot.posToVal(clientX - plot.over.getBoundingClientRect().left, "x") * 1e9;
  }
}
