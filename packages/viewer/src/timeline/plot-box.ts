import { Observable } from "../observable.ts";

/** Where something is drawn by time, from its first pixel to its last, in pixels of the page. */
export interface PlotBox {
  readonly left: number;
  readonly right: number;
}

/** That of the timeline; null: it is not shown. Plots that span it are drawn over the same pixels. */
export const timelineBox: Observable<PlotBox | null> = new Observable<PlotBox | null>(null);

/** A narrower one would leave too little of a plot. */
const LEAST = 500;

/** Pixels that are left free on both sides of `outer`, so that what is drawn in it is over `inner`; null: it does not fit. */
export function sidesOf(outer: PlotBox, inner: PlotBox | null): PlotBox | null {
  if (inner === null || inner.right - inner.left < LEAST) return null;
  const [left, right] = [inner.left - outer.left, outer.right - inner.right];
  return left < 0 || right < 0 ? null : { left, right };
}
