import {
  fittingTargets,
  FORMATS,
  originAt,
  type OriginalFiles,
  type Recording,
  type SourceBundle,
  standardAxes,
  targetCalled,
} from "simtape";
import type { Ask, ExportFits } from "../protocol.ts";
import { BlobFiles } from "./blob-files.ts";
import { Breather } from "./breather.ts";
import type { Query } from "./query.ts";

/** Bytes of files of a recording that an export carries inside without being asked to. */
const SMALL_FILES = 256 << 20;
/** Between two reports of progress, milliseconds. */
const REPORT_EVERY = 100;

/** The targets that fit. */
export const targets: Query<"targets"> = async (engine, { recording: id }) => {
  const recording = engine.recording(id);
  const sets = await setsOf(recording);
  const channels = new Set(recording.channels.map(({ name }) => name));
  const kindOf = (name: string): ExportFits["kind"] => (!sets.has(name) && channels.has(name) ? "channel" : "set");
  const found = await fittingTargets(recording);
  return found
    .filter(({ fits }) => fits.length > 0)
    .map(({ target: { id, name, carries, takes }, fits }) => ({
      ...{ id, name, carries, takes },
      fits: fits.map((each) => ({ name: each, kind: kindOf(each) })),
    }));
};

/** The columns of a set or channel. */
export const columns: Query<"columns"> = async (engine, { recording: id, of }, signal) => {
  const recording = engine.recording(id);
  const table = await recording.table(of.kind === "set" ? of.name : recording.channel(of.name), { signal });
  const inEachRow = of.kind === "set" ? ["time", "id"] : ["time", "sequence", "record"];
  return table.columns.filter(({ name }) => !inEachRow.includes(name)).map(({ name, unit }) => ({ name, unit }));
};

/** Writes the files of a target. */
export const files: Query<"export"> = async (engine, ask, signal, report) => {
  const { recording: id, to, of, range, every, origin, axes, name } = ask;
  const recording = engine.recording(id);
  const { start, end } = await recording.timeline();
  const [first, last] = [range?.start ?? start, range?.end ?? end];
  const target = targetCalled(to);
  if (target === null) throw new RangeError(`no target ${to}`);
  const breather = new Breather(signal, engine);
  const made = new BlobFiles(`${stemOf(name)}.${target.extensions[0]}`, () => breather.breathe());
  let reported = 0;
  // the page shows only targets that fit, so that `exportTo`, which the library has for all, need not be loaded
  const exporter = await target.load();
  const account = await exporter.write(recording, made, {
    ...range,
    ...(of === null ? {} : { [of.kind]: of.name }),
    every: every ?? undefined,
    origin: origin === null ? undefined : originAt(...origin),
    columns: ask.columns ?? undefined,
    ids: ask.ids ?? undefined,
    axes: axes === null ? undefined : standardAxes(...axes),
    units: ask.units,
    time: ask.time === "s" ? undefined : ask.time,
    original: originalOf(ask.original, engine.filesOf(id)),
    signal,
    onProgress: (time) => {
      const now = performance.now();
      if (now - reported < REPORT_EVERY) return;
      reported = now;
      report({ done: Math.max(0, time - first), total: Math.max(1, last - first) });
    },
  });
  const { count, unit, lost, notes } = account;
  return {
    files: [...made.files].map(([file, blob]) => ({ name: file, blob })),
    count,
    unit,
    of: account.of,
    lost,
    notes,
  };
};

function originalOf(wanted: Ask<"export">["original"], bundle: SourceBundle | null): OriginalFiles | null {
  if (wanted === "never" || bundle === null) return null;
  return { bundle, limit: wanted === "small" ? SMALL_FILES : undefined };
}

/** Names of sets at the start and at the end. */
async function setsOf(recording: Recording): Promise<ReadonlySet<string>> {
  const { start, end } = await recording.timeline();
  const states = [await recording.state(start), await recording.state(end)];
  return new Set(states.flatMap(({ sets }) => [...sets.keys()]));
}

/** A name of a recording without the ending of a format, or without what stands behind its last point. */
function stemOf(name: string): string {
  const file = name.split("/").at(-1)!;
  const endings = FORMATS.flatMap(({ extensions }) => extensions.map((extension) => `.${extension}`));
  const ending = endings.find((each) => file.toLowerCase().endsWith(each));
  return (ending === undefined ? file.replace(/\.[^.]*$/, "") : file.slice(0, -ending.length)) || "recording";
}
