import { RaceError } from "./error.ts";
import { Crossings, type Gate, numbersOf } from "./gate.ts";
import type { Ground } from "./ground.ts";
import { Polyline } from "./polyline.ts";

/** A path that is a course: places in the order in which they are passed. */
export interface CoursePath {
  /**
   * Two or three numbers each: x, y and z in metres along standard axes, or degrees north, degrees east and metres. Where
   * the first has no height, heights do not count.
   */
  readonly places: readonly (readonly number[])[];
}

/** Bytes of a file with a path, and letters of its text, at most. */
export const MOST_COURSE_BYTES: number = 64 << 20;
/** Ends of a path that are so near to each other, as a part of its length, make it a circuit. */
const CLOSED = 0.05;

/**
 * Reads a path: lines of two or three numbers with commas between them, behind a header or none, or GeoJSON, whose first
 * `LineString` counts. Throws `RaceError` for everything else.
 */
export function parseCourse(text: string): CoursePath {
  if (text.length > MOST_COURSE_BYTES) throw new RaceError("course", `a course is a text of 64 MiB at most`);
  const places = text.trimStart().startsWith("{") ? ofGeoJson(text) : ofLines(text);
  if (places.length < 2) throw new RaceError("course", "a course has at least two places");
  return { places };
}

function ofLines(text: string): number[][] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "" && !line.startsWith("#"));
  return lines.flatMap((line, i) => {
    const numbers = numbersOf(line);
    if (numbers !== null && (numbers.length === 2 || numbers.length === 3)) return [[...numbers]];
    if (i === 0 && numbers === null) return [];
    throw new RaceError("course", `line ${i + 1} of the course is no x,y or x,y,z: ${line.slice(0, 60)}`);
  });
}

/** RFC 7946: positions are longitude, latitude, and height. */
function ofGeoJson(text: string): number[][] {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw new RaceError("course", `the course is no JSON: ${(error as Error).message}`);
  }
  const found = lineIn(document, 0);
  if (found === null) throw new RaceError("course", "the course has no LineString");
  return found.map((position) => {
    const [longitude, latitude, height] = Array.isArray(position) ? (position as unknown[]) : [];
    if (typeof longitude !== "number" || typeof latitude !== "number")
      throw new RaceError("course", "a position of the course is no longitude, latitude");
    return typeof height === "number" ? [latitude, longitude, height] : [latitude, longitude];
  });
}

function lineIn(part: unknown, depth: number): readonly unknown[] | null {
  if (typeof part !== "object" || part === null || depth > 8) return null;
  const { type, coordinates, geometry, features, geometries } = part as Record<string, unknown>;
  if (type === "LineString" && Array.isArray(coordinates)) return coordinates;
  const inner = [
    geometry,
    ...(Array.isArray(features) ? features : []),
    ...(Array.isArray(geometries) ? geometries : []),
  ];
  for (const one of inner) {
    const found = lineIn(one, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

/** A path on the ground. A circuit begins where it crosses `start`, wherever its file does. */
export function courseOf({ places }: CoursePath, ground: Ground, start: Gate | null): Polyline {
  const isFlat = places[0]!.length < 3;
  const all: number[] = [];
  for (const place of places) {
    const at = ground.at(place);
    if (!at.every(Number.isFinite)) throw new RaceError("course", `no place: ${place.join(",")}`);
    if (all.length < 3 || at.some((cell, k) => cell !== all[all.length - 3 + k])) all.push(...at);
  }
  if (all.length < 6) throw new RaceError("course", "a course has at least two places that differ");
  const line = new Polyline(Float64Array.from(all), isFlat);
  return start === null ? line : turned(line, start);
}

function turned(line: Polyline, gate: Gate): Polyline {
  const { places, along, length, isFlat } = line;
  const last = places.length - 3;
  const apart = Math.hypot(places[last]! - places[0]!, places[last + 1]! - places[1]!, places[last + 2]! - places[2]!);
  if (apart > CLOSED * length) return line;
  const crossings = new Crossings(gate);
  for (let i = 0; i < along.length; i++) crossings.add(along[i]!, places[3 * i]!, places[3 * i + 1]!);
  crossings.add(length + apart, places[0]!, places[1]!);
  const at = crossings.times[0];
  if (at === undefined || at >= length) return line;
  const first = line.segmentAt(at) + 1;
  const place = new Float64Array(3);
  line.placeAt(at, place);
  const behind = places.subarray(3 * first);
  const before = places.subarray(apart === 0 ? 3 : 0, 3 * first);
  const all = new Float64Array(6 + behind.length + before.length);
  all.set(place);
  all.set(behind, 3);
  all.set(before, 3 + behind.length);
  all.set(place, all.length - 3);
  return new Polyline(all, isFlat);
}
