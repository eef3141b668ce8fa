import { readFile } from "node:fs/promises";
import { UsageError } from "simtape/command";
import { Box, type Point } from "./box.ts";

/** Where runs of a map begin, pass, and end. */
export interface Course {
  /** Name of the map, which recordings of its runs have in their metadata. */
  readonly map: string;
  /** In the form `minecraft:overworld`. */
  readonly dimension: string;
  /** A player who leaves it begins a run; a player who returns to it gives the run up. */
  readonly start: Box;
  /** Boxes to pass in this order. */
  readonly checkpoints: readonly Box[];
  readonly finish: Box;
}

const KEYS: readonly string[] = ["map", "dimension", "start", "checkpoints", "finish"];
const MOST_CHECKPOINTS = 1000;

/** Reads the file of a course (docs/minecraft.md, "A course"). Throws `UsageError` for an invalid file. */
export async function readCourse(path: string): Promise<Course> {
  const text = await readFile(path, "utf8").catch((error: Error) => {
    throw new UsageError(`the course cannot be read: ${error.message}`);
  });
  try {
    return courseOf(JSON.parse(text));
  } catch (error) {
    throw new UsageError(`${path}: ${(error as Error).message}`);
  }
}

/** Throws `RangeError` for an invalid course. */
export function courseOf(value: unknown): Course {
  const fields = fieldsOf(value, "a course");
  const strange = Object.keys(fields).find((key) => !KEYS.includes(key));
  if (strange !== undefined) throw new RangeError(`a course has ${KEYS.join(", ")}, not ${strange}`);
  const { checkpoints = [] } = fields;
  if (!Array.isArray(checkpoints) || checkpoints.length > MOST_CHECKPOINTS)
    throw new RangeError(`checkpoints: expected a list of at most ${MOST_CHECKPOINTS}`);
  return {
    map: textOf(fields["map"], "map"),
    dimension: textOf(fields["dimension"] ?? "minecraft:overworld", "dimension"),
    start: boxOf(fields["start"], "start"),
    checkpoints: checkpoints.map((box, i) => boxOf(box, `checkpoints[${i}]`)),
    finish: boxOf(fields["finish"], "finish"),
  };
}

function boxOf(value: unknown, name: string): Box {
  const { from, to } = fieldsOf(value, name);
  return Box.between(pointOf(from, `${name}.from`), pointOf(to, `${name}.to`));
}

function pointOf(value: unknown, name: string): Point {
  if (!Array.isArray(value) || value.length !== 3 || !value.every(Number.isFinite))
    throw new RangeError(`${name}: expected three numbers`);
  return value as unknown as Point;
}

function textOf(value: unknown, name: string): string {
  if (typeof value !== "string" || value === "") throw new RangeError(`${name}: expected a text`);
  return value;
}

function fieldsOf(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new RangeError(`${name}: expected an object`);
  return value as Readonly<Record<string, unknown>>;
}
