import type { Recording, Time } from "simtape";
import type { Passing } from "../protocol.ts";
import type { Query } from "../worker.ts";
import { Breather } from "./breather.ts";
import { markEvent, type WrittenMark, writtenMarks } from "./marks.ts";

/** Passings that are told at most, and checkpoints whose places are looked up. */
const MOST = 10_000;
const PLACES = 100;

/** Who passed which checkpoint when, and where these are: where the first who came by was then. */
export const passings: Query<"passings"> = async (engine, { recording: id, isReading }, signal) => {
  const recording = engine.recording(id);
  const marks = [...writtenMarks(recording)];
  if (marks.length === 0 && isReading) marks.push(...(await readMarks(recording, signal)));
  const met = new Set<string>();
  const found: Passing[] = [];
  for (const mark of marks.sort((a, b) => a.time - b.time)) {
    const checkpoint = checkpointOf(mark);
    const { time, entity } = mark;
    if (checkpoint === null || entity === null || found.length >= MOST) continue;
    const isFirst = met.size < PLACES && !met.has(checkpoint);
    const place = isFirst ? await placeOf(recording, time, entity, signal) : null;
    if (place !== null) met.add(checkpoint);
    found.push({ time, entity, checkpoint, place });
  }
  return found;
};

async function readMarks(recording: Recording, signal: AbortSignal): Promise<WrittenMark[]> {
  const channel = recording.channels.find(({ name }) => name === "mark");
  if (channel === undefined) return [];
  const found: WrittenMark[] = [];
  const breather = new Breather(signal);
  for await (const batch of recording.batches({ channels: [channel], signal })) {
    for (let i = 0; i < batch.length; i++) {
      found.push(markEvent(batch.time[i]!, channel.schema.decode(batch.payload(i), batch.context)));
    }
    await breather.breathe();
  }
  return found;
}

/** What was passed, without who did: of "Elif: checkpoint 1" the end. Null: it was no checkpoint. */
function checkpointOf({ kind, label }: WrittenMark): string | null {
  const named = /checkpoint.*/i.exec(label)?.[0];
  return named ?? (kind === "checkpoint" ? label.slice(label.lastIndexOf(": ") + 1).trim() : null);
}

async function placeOf(
  recording: Recording,
  time: Time,
  entity: number,
  signal: AbortSignal,
): Promise<readonly number[] | null> {
  const players = (await recording.state(time, { signal })).sets.get("players");
  const row = players?.ids.indexOf(entity) ?? -1;
  const position = players?.columns.get("position");
  if (row < 0 || position === undefined) return null;
  const place = [0, 1, 2].map((item) => Number(position.data[3 * row + item]));
  return place.every(Number.isFinite) ? place : null;
}
