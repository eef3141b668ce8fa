import type { SinkBundle } from "../../io/sink/sink.ts";
import { posesOf } from "../../model/poses/pose-columns.ts";
import type { Recording } from "../../model/recording.ts";
import type { Exporter, ExportOptions, ExportReport } from "../exporter.ts";
import { utcOf, utcText } from "../utc.ts";
import { foremostFirst, lookedAt } from "../moments.ts";
import { documentOf } from "./document.ts";
import { headOfBinary } from "./glb.ts";
import { type Things, thingsOf } from "./things.ts";
import { GLTF } from "./facts.ts";

/**
 * glTF 2.0: a node for each thing, moved by an animation with the keyframes that were recorded; metres, right-handed, y
 * up, as the specification has it (section 3.4). A thing that is not there has a scale of 0. One binary file (.glb), or
 * JSON (.gltf) with its buffer beside it. Memory grows with the number of keyframes, which `thingsOf` limits: the format
 * has each sampler in one piece.
 */
export const gltf: Exporter = { ...GLTF, fitting, write };

async function fitting(recording: Recording): Promise<readonly string[]> {
  const found = new Set<string>();
  for await (const { sets } of lookedAt(recording, () => found.size > 0))
    for (const [name, set] of sets) if (posesOf(set) !== null) found.add(name);
  return foremostFirst(recording, found);
}

async function write(recording: Recording, to: SinkBundle, options: ExportOptions): Promise<ExportReport> {
  const sets = await setsOf(recording, options);
  const things = await thingsOf(recording, sets, options);
  const isText = to.name?.toLowerCase().endsWith(".gltf") === true;
  const uri = isText ? `${to.name!.slice(0, -".gltf".length)}.bin` : null;
  const document = documentOf(things, await extrasOf(recording, things), uri);
  if (uri === null) await put(to, undefined, [headOfBinary(document), ...document.buffer]);
  else {
    if (document.byteLength > 0) await put(to, uri, document.buffer);
    await put(to, undefined, [new TextEncoder().encode(`${JSON.stringify(document.json)}\n`)]);
  }
  const met = new Set(things.all.map(({ set }) => set));
  return {
    of: sets.filter((set) => met.has(set)),
    count: things.moments,
    unit: "moment",
    lost: [],
    notes: notesOf(things),
  };
}

/** Those that are asked for, or that the recording is about. */
async function setsOf(recording: Recording, { set }: ExportOptions): Promise<readonly string[]> {
  const sets = await fitting(recording);
  if (set === undefined) {
    if (sets.length === 0) throw new RangeError(`this recording has no ${GLTF.carries}`);
    const things = (await recording.traits()).showing?.things?.filter((name) => sets.includes(name)) ?? [];
    return things.length > 0 ? things : sets;
  }
  if (!sets.includes(set)) throw new RangeError(`${JSON.stringify(set)} has no place; there are: ${sets.join(", ")}`);
  return [set];
}

/** What of the recording a scene has no member for. */
async function extrasOf(recording: Recording, { start, origin }: Things): Promise<Record<string, unknown>> {
  const utc = utcOf(await recording.timeline());
  const extras: Record<string, unknown> = { format: recording.info.format, start: start / 1e9 };
  if (utc !== null) extras["utc"] = utcText(utc(start));
  if (origin !== null) {
    const { latitude, longitude, altitude, heading } = origin;
    extras["origin"] = { latitude, longitude, altitude, heading };
  }
  return extras;
}

function notesOf({ all, start, origin }: Things): string[] {
  const notes: string[] = [];
  if (start !== 0) notes.push(`the animation begins at ${start / 1e9} s of the recording`);
  const factors = new Map(all.map((thing) => [thing.set, thing.enlargement]));
  for (const [set, factor] of factors)
    if (factor !== 1) notes.push(`${set} are shown ${factor.toLocaleString("en")} times as large`);
  if (origin !== null)
    notes.push(
      `the scene is a plane that touches the earth at ${origin.latitude} ${origin.longitude}, ${origin.altitude} m`,
    );
  return notes;
}

async function put(to: SinkBundle, name: string | undefined, parts: readonly Uint8Array[]): Promise<void> {
  const sink = await to.open(name);
  try {
    for (const bytes of parts) await sink.write(bytes);
    await sink.close();
  } catch (error) {
    await sink.abort();
    throw error;
  }
}
