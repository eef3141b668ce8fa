import type { EventQuery, Recording, RecordingEvent, Time } from "simtape";
import type { Passing } from "../protocol.ts";
import type { Query } from "./query.ts";
import { Breather } from "./breather.ts";

/** Passings that are listed at most, and checkpoints whose places are looked up. */
const MOST = 10_000;
const PLACES = 100;

/** Who passed which checkpoint when, and where these are: where the first who came by was then. */
export const passings: Query<"passings"> = async (engine, { recording: id, isReading }, signal) => {
  const recording = engine.recording(id);
  const { checkpoints } = (await recording.traits()).showing ?? {};
  if (checkpoints === undefined) return [];
  const { kinds, set } = checkpoints;
  const breather = new Breather(signal, engine);
  const marks = await marksOf(recording, { kinds, listed: true }, breather, signal);
  if (marks.length === 0 && isReading) marks.push(...(await marksOf(recording, { kinds }, breather, signal)));
  const met = new Set<string>();
  const found: Passing[] = [];
  for (const mark of marks) {
    const checkpoint = checkpointOf(mark);
    const { time, who } = mark;
    const entity = who[0]?.id;
    if (checkpoint === null || typeof entity !== "number" || found.length >= MOST) continue;
    const isFirst = met.size < PLACES && !met.has(checkpoint);
    const place = isFirst ? await placeOf(recording, time, set, entity, signal) : null;
    if (place !== null) met.add(checkpoint);
    found.push({ time, entity, checkpoint, place });
  }
  return found;
};

async function marksOf(
  recording: Recording,
  query: EventQuery,
  breather: Breather,
  signal: AbortSignal,
): Promise<RecordingEvent[]> {
  const found: RecordingEvent[] = [];
  for await (const events of recording.events({ ...query, signal })) {
    found.push(...events);
    await breather.breathe();
  }
  return found;
}

/** What was passed, without who did: of "Elif: checkpoint 1" the end. Null: it was no checkpoint. */
function checkpointOf({ kind, text }: RecordingEvent): string | null {
  const named = /checkpoint.*/i.exec(text)?.[0];
  return named ?? (kind === "checkpoint" ? text.slice(text.lastIndexOf(": ") + 1).trim() : null);
}

async function placeOf(
  recording: Recording,
  time: Time,
  set: string,
  entity: number,
  signal: AbortSignal,
): Promise<readonly number[] | null> {
  const things = (await recording.state(time, { signal })).sets.get(set);
  const row = things?.ids.indexOf(entity) ?? -1;
  const position = things?.columns.get("position");
  if (row < 0 || position === undefined) return null;
  const place = [0, 1, 2].map((item) => Number(position.data[3 * row + item]));
  return place.every(Number.isFinite) ? place : null;
}
