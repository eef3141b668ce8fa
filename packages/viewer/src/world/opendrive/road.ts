import type { PlanView } from "./geometry.ts";
import type { Profile } from "./polynomial.ts";

/** A road net as its file has it: names of ASAM OpenDRIVE 1.7, metres and radians. */
export interface RoadNet {
  readonly version: string;
  readonly name: string;
  /** A PROJ string, or as written; empty: none. */
  readonly geoReference: string;
  readonly roads: readonly Road[];
  /** Ids of junctions. */
  readonly junctions: readonly string[];
}

export interface Road {
  readonly id: string;
  readonly name: string;
  readonly length: number;
  /** Of the junction that it leads through; empty: none. */
  readonly junction: string;
  readonly plan: PlanView;
  readonly elevation: Profile;
  /** Radians by which the road is rolled about its line: positive falls to the right. */
  readonly roll: Profile;
  readonly laneOffset: Profile;
  /** Ascending. */
  readonly sections: readonly LaneSection[];
  readonly signals: readonly Signal[];
  readonly objects: readonly RoadObject[];
}

export interface LaneSection {
  /** Of the road's line, `[start, end)`. */
  readonly start: number;
  readonly end: number;
  /** From the middle outwards. */
  readonly left: readonly Lane[];
  readonly right: readonly Lane[];
  /** Of the lane 0, which has no width. */
  readonly middle: readonly RoadMark[];
}

export interface Lane {
  /** Positive to the left of the line, negative to the right. */
  readonly id: number;
  readonly type: string;
  /** Stays level where the road is rolled. */
  readonly isLevel: boolean;
  /** By the distance from the start of the section. */
  readonly width: Profile;
  /** How far its outer edge is from the line, in place of the width; null: it has widths. */
  readonly border: Profile | null;
  /** Ascending: from `start` in the section, metres over the road at the inner and outer edge. */
  readonly heights: readonly { readonly start: number; readonly inner: number; readonly outer: number }[];
  /** At its outer edge, ascending by `start`. */
  readonly marks: readonly RoadMark[];
}

/** A line on the road from a place in the section on. */
export interface RoadMark {
  readonly start: number;
  /** `solid`, `broken`, `solid broken`, …, `none`, `curb`. */
  readonly type: string;
  readonly color: string;
  readonly width: number;
  /** Where the file says how the lines lie; empty: as is usual for the type. */
  readonly lines: readonly MarkLine[];
}

export interface MarkLine {
  /** Metres that are painted, and that are left between them; 0: no gap. */
  readonly length: number;
  readonly space: number;
  /** Metres to the left of the edge. */
  readonly across: number;
  /** Metres until the first. */
  readonly offset: number;
  readonly width: number;
}

/** Where something stands beside the line of a road. */
interface Placed {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly s: number;
  readonly t: number;
  readonly over: number;
  /** Radians, from the road's direction. */
  readonly heading: number;
  readonly width: number;
  readonly height: number;
}

export interface Signal extends Placed {
  /** `+`: for those who drive along the line; `-`: against it; `none`. */
  readonly orientation: string;
  readonly isDynamic: boolean;
}

export interface RoadObject extends Placed {
  readonly length: number;
  readonly outlines: readonly Outline[];
}

/** Corners: of the road, `[s, t, z]`, or of the object, `[u, v, z]`. */
export interface Outline {
  readonly isOfRoad: boolean;
  readonly corners: readonly (readonly [number, number, number])[];
}
