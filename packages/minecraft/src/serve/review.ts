import { open, type Recording, type Time } from "simtape";
import { fromFile } from "simtape/node";
import { profilesOf } from "../scene/profiles.ts";
import { SceneMaker } from "../scene/scene.ts";
import { isPlayer, type Thing } from "../scene/thing.ts";
import type { Stored } from "../stored/recordings.ts";
import { type Point, pointsIn } from "./points.ts";

/** Where the review of a recording begins. */
export interface Review {
  /** The moment that is reviewed. */
  readonly point: Point;
  /** Where playing begins: a little earlier. */
  readonly from: Time;
  /** UUID of the reported player; null: the recording does not say, or has no such player. */
  readonly suspect: string | null;
}

/** Kinds of moments to review, the most certain first. */
const KINDS = ["report", "review", "verdict"];
/** Nanoseconds before the reported moment. */
const LEAD: Time = 5e9;

/** Null: the recording has no report or verdict. Rejects like `open`. */
export async function reviewOf(stored: Stored): Promise<Review | null> {
  await using recording = await open(fromFile(stored.path));
  const points = await pointsIn(recording, stored);
  const point = KINDS.flatMap((kind) => points.find((one) => one.kind === kind) ?? [])[0];
  if (point === undefined) return null;
  const { start } = await recording.timeline();
  const from = Math.max(start, point.at - LEAD);
  const subjects = subjectsIn(recording);
  const suspect =
    suspectAmong(await playersAt(recording, stored, point.at), subjects, point) ??
    // the player may have left before the report
    suspectAmong(await playersAt(recording, stored, from), subjects, point);
  return { point, from, suspect };
}

async function playersAt(recording: Recording, { title }: Stored, time: Time): Promise<readonly Thing[]> {
  const { end } = await recording.timeline();
  const scene = new SceneMaker(title, profilesOf(recording).dataVersion).sceneOf(
    await recording.state(Math.min(time, end)),
  );
  return [...scene.things.values()].filter(isPlayer);
}

/** From the metadata: names and UUIDs of the reported and judged players. */
function subjectsIn({ info }: Recording): readonly string[] {
  const { reports, reviews } = ((info.metadata as { metadata?: unknown }).metadata ?? {}) as {
    readonly reports?: unknown;
    readonly reviews?: unknown;
  };
  const entries = [reports, reviews].flatMap((all) => Object.values((all ?? {}) as object)) as readonly {
    readonly subject?: string | { readonly uuid?: unknown; readonly name?: unknown };
  }[];
  return entries
    .map((one) => one?.subject)
    .flatMap((subject) => (typeof subject === "object" ? [subject.uuid, subject.name] : [subject]))
    .filter((name) => typeof name === "string");
}

/**
 * Uses the metadata; otherwise the subject of the mark; otherwise the first player in its words. The words of a note in
 * a review begin with its author.
 */
function suspectAmong(
  players: readonly Thing[],
  subjects: readonly string[],
  { kind, about, text }: Point,
): string | null {
  const words = kind === "review" ? [] : text.split(/[^\w-]+/);
  for (const name of [...subjects, about, ...words]) {
    const wanted = name.toLowerCase();
    const found = players.find((one) => one.uuid.toLowerCase() === wanted || one.name.toLowerCase() === wanted);
    if (found !== undefined && wanted !== "") return found.uuid;
  }
  return null;
}
