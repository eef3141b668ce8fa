import type { Axes, ColumnSpec, MutableEntitySet, MutableState, StateModel } from "simtape/kit";
import { reportOf } from "./ais.ts";
import { fieldOf, numberOf, readSentence, type Sentence } from "./sentence.ts";

/** The vessel that the sentences come from, and those that are heard. */
export const OWN = "vessel";
export const OTHERS = "vessels";
/** Id of the vessel that the sentences come from. */
export const SELF = "self";

export const AXES: Axes = {
  handed: "right",
  up: "z",
  kind: "geodetic",
  angles: { order: "yaw-pitch-roll", roll: "right", pitch: "up", yaw: "right", zero: "north" },
  own: { forward: "x", up: "-z" },
  velocities: "set",
};

const number = (unit: string | null): ColumnSpec => ({ kind: "f64", width: 1, unit, interpolation: "hold" });
const GEODETIC: ColumnSpec = { kind: "f64", width: 3, unit: "deg deg m", interpolation: "linear" };
const ROTATION: ColumnSpec = { kind: "f64", width: 3, unit: "deg", interpolation: "angle-deg" };
const VELOCITY: ColumnSpec = { kind: "f64", width: 3, unit: "m/s", interpolation: "linear" };
const ANGLE: ColumnSpec = { kind: "f64", width: 1, unit: "deg", interpolation: "angle-deg" };
const SIZE: ColumnSpec = { kind: "f64", width: 3, unit: "m", interpolation: "hold" };
const LABEL: ColumnSpec = { kind: "string", width: 1, unit: null, interpolation: "hold" };

/** Value of the state: metres of the sea above the ellipsoid. */
const SEA_LEVEL = "geoid-separation";
const KNOT = 1852 / 3600;
const DEGREE = Math.PI / 180;
/** Metres a second in one of a unit of MWV. */
const WIND: Readonly<Record<string, number>> = { N: KNOT, M: 1, K: 1 / 3.6 };

/** `motion`: id of the channel that says most often where the vessel is. */
export function stateOf(motion: number | null): StateModel {
  return {
    motion,
    replacesState: () => false,
    apply(state, batch, row) {
      const sentence = readSentence(batch.bytes, batch.start[row], batch.end[row]);
      if (sentence.formatter === "VDM") hear(sentence, state.set(OTHERS, AXES), seaLevel(state));
      else if (APPLY[sentence.formatter] !== undefined && sentence.talker.length === 2) {
        const own = state.set(OWN, AXES);
        APPLY[sentence.formatter]!(sentence, own, own.row(SELF));
        if (sentence.formatter === "GGA") float(state, numberOf(sentence, "separation"));
      }
    },
  };
}

type Apply = (sentence: Sentence, own: MutableEntitySet, row: number) => void;

/** A sentence says all that it can say; what it leaves empty is not known from then on. */
const APPLY: Readonly<Record<string, Apply>> = {
  GGA(sentence, own, row) {
    const quality = numberOf(sentence, "quality");
    place(sentence, own, row, quality > 0);
    // Above the ellipsoid: above sea level, and that above the ellipsoid.
    const height = numberOf(sentence, "altitude") + numberOf(sentence, "separation");
    own.column("geodetic", GEODETIC).put(row, Number.isFinite(height) ? height : 0, 2);
    own.column("fix-quality", number(null)).put(row, quality);
    own.column("satellites", number(null)).put(row, numberOf(sentence, "satellites"));
  },
  RMC(sentence, own, row) {
    place(sentence, own, row, fieldOf(sentence, "status") === "A");
    move(own, row, numberOf(sentence, "speed"), numberOf(sentence, "course"));
  },
  GLL: (sentence, own, row) => place(sentence, own, row, fieldOf(sentence, "status") !== "V"),
  VTG: (sentence, own, row) => move(own, row, numberOf(sentence, "speed"), numberOf(sentence, "course")),
  HDT(sentence, own, row) {
    const heading = numberOf(sentence, "heading");
    own.column("heading", ANGLE).put(row, heading);
    turn(own, row, heading);
  },
  MWV(sentence, own, row) {
    const isTrue = fieldOf(sentence, "reference") === "T";
    const isValid = fieldOf(sentence, "status") === "A";
    const speed = numberOf(sentence, "speed") * (WIND[fieldOf(sentence, "unit")] ?? Number.NaN);
    const wind = isTrue ? "true-wind" : "apparent-wind";
    own.column(`${wind}-angle`, ANGLE).put(row, isValid ? numberOf(sentence, "angle") : Number.NaN);
    own.column(`${wind}-speed`, number("m/s")).put(row, isValid ? speed : Number.NaN);
  },
  DBT: depth,
  DPT: depth,
  GSA(sentence, own, row) {
    for (const name of ["pdop", "hdop", "vdop"]) own.column(name, number(null)).put(row, numberOf(sentence, name));
  },
  GSV: (sentence, own, row) => own.column("satellites-in-view", number(null)).put(row, numberOf(sentence, "in-view")),
};

function depth(sentence: Sentence, own: MutableEntitySet, row: number): void {
  own.column("depth", number("m")).put(row, numberOf(sentence, "depth"));
}

/** Where it is. */
function place(sentence: Sentence, own: MutableEntitySet, row: number, isValid: boolean): void {
  const [latitude, longitude] = isValid ? positionOf(sentence) : [Number.NaN, Number.NaN];
  const geodetic = own.column("geodetic", GEODETIC);
  const height = geodetic.number(row, 2);
  geodetic.put3(row, latitude, longitude, Number.isFinite(height) ? height : 0);
}

/** Degrees north and east; NaN: it does not say. */
export function positionOf(sentence: Sentence): readonly [latitude: number, longitude: number] {
  const along = (name: string, side: string, minus: string): number => {
    const degrees = numberOf(sentence, name);
    // "4807.038" is 48° 7.038'.
    const whole = Math.floor(degrees / 100);
    const value = whole + (degrees - 100 * whole) / 60;
    return fieldOf(sentence, side) === minus ? -value : value;
  };
  const [latitude, longitude] = [along("latitude", "north-south", "S"), along("longitude", "east-west", "W")];
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? [latitude, longitude] : [Number.NaN, Number.NaN];
}

/** How it goes. Where nothing says its heading, it looks where it goes. */
function move(own: MutableEntitySet, row: number, speed: number, course: number): void {
  own.column("speed", number("kt")).put(row, speed);
  own.column("course", ANGLE).put(row, course);
  const ahead = speed * KNOT;
  const isStill = speed === 0;
  own
    .column("velocity", VELOCITY)
    .put3(
      row,
      isStill ? 0 : ahead * Math.sin(course * DEGREE),
      isStill ? 0 : ahead * Math.cos(course * DEGREE),
      speed >= 0 ? 0 : Number.NaN,
    );
  if (!Number.isFinite(own.column("heading", ANGLE).number(row))) turn(own, row, course);
}

/** It lies level: no sentence that is understood says how it rolls. */
function turn(own: MutableEntitySet, row: number, heading: number): void {
  const known = Number.isFinite(heading) ? 0 : Number.NaN;
  own.column("rotation", ROTATION).put3(row, known, known, heading);
}

/** Metres of the sea above the ellipsoid, as the last GGA says; 0 where none does. */
function seaLevel(state: MutableState): number {
  return Number(state.value(SEA_LEVEL) ?? 0);
}

/** Other vessels say no height: they are on the sea. */
function float(state: MutableState, separation: number): void {
  state.setValue(SEA_LEVEL, Number.isFinite(separation) ? separation : 0);
  const others = state.sets.get(OTHERS);
  if (others === undefined || others.size === 0) return;
  const level = seaLevel(state);
  const geodetic = others.column("geodetic", GEODETIC);
  for (let row = 0; row < others.size; row++) if (Number.isFinite(geodetic.number(row, 0))) geodetic.put(row, level, 2);
}

/** Another vessel says something of itself. */
function hear(sentence: Sentence, others: MutableEntitySet, height: number): void {
  const report = reportOf(sentence);
  if (report === null) return;
  const row = others.row(report.mmsi);
  if (report.type === "name") others.column("label", LABEL).putText(row, report.name);
  else if (report.type === "size") others.column("size", SIZE).put3(row, report.length, report.beam, Number.NaN);
  else {
    others.column("geodetic", GEODETIC).put3(row, report.latitude, report.longitude, height);
    others.column("heading", ANGLE).put(row, report.heading);
    move(others, row, report.speed, report.course);
    if (Number.isFinite(report.heading)) turn(others, row, report.heading);
  }
}
