/**
 * Where a camera is and what it looks at, in the recording: metres with z up, or degrees north, degrees east and
 * metres above the ellipsoid. It means the same wherever the zero of a scene is.
 */
export interface Gaze {
  readonly position: readonly [number, number, number];
  readonly target: readonly [number, number, number];
  /** Degrees from the lower edge of the view to the upper one; null: as wide as the view's shape asks for. */
  readonly field: number | null;
  /** Things that are looked at in place of the target, as far as their weights say: 0 to 1, 1 in all at most. */
  readonly things?: readonly { readonly set: string; readonly id: number | string; readonly weight: number }[];
}
