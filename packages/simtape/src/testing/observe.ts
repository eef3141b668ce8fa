import { ByteBuilder } from "../bytes/builder.ts";
import { filesBundle } from "../io/source/bundle.ts";
import { memory } from "../io/source/memory.ts";
import { MemoryFiles } from "../io/sink/sink.ts";
import type { SourceBundle } from "../io/source/source.ts";
import { type Finding, RecordingError } from "../model/error.ts";
import { openBundle, recognize } from "../model/open.ts";
import type { Format } from "../model/format.ts";
import type { Recording } from "../model/recording.ts";
import type { WritingFormat } from "../model/writer.ts";
import { check } from "../ops/check.ts";
import { rewrite } from "../ops/copy.ts";
import { repair } from "../ops/repair.ts";
import {
  type CaseFiles,
  type ContentExpectation,
  type Expectation,
  type Part,
  type ReadingExpectation,
  type RepairExpectation,
  type StateExpectation,
  type WritingExpectation,
  PARTS,
} from "./corpus.ts";
import { messagesDigest, sha256, stateDigest } from "./digest.ts";
import { compareRanges } from "./ranges.ts";

/**
 * Id of the one format that recognises the main file by its content alone, or, `byName`, with the help of its name: where
 * damage may have hit what it is known by. Throws `RecordingError` when none does, or several.
 */
export async function recognized(files: CaseFiles, formats: readonly Format[], byName: boolean): Promise<string> {
  const [name, bytes] = Object.entries(files)[0]!;
  return (await recognize(memory(bytes, name), byName ? name : null, formats)).id;
}

/**
 * What comes of a recording: an expectation, when it is right. Parts that are not asked for are null, and so are writing
 * and repair where the format has none, and writing where the recording is damaged.
 * Throws what reading, writing or repair throw.
 */
export async function observe(
  files: CaseFiles,
  formats: readonly Format[],
  parts: readonly Part[] = PARTS,
): Promise<Expectation> {
  const nothing = { reading: null, states: null, records: null, ranges: null, writing: null, repair: null };
  let recording: Recording;
  try {
    recording = await openFiles(files, formats);
  } catch (error) {
    if (RecordingError.is(error)) return { refused: error.code, ...nothing };
    throw error;
  }
  try {
    const asks = (part: Part): boolean => parts.includes(part);
    const writing = await formats.find(({ id }) => id === recording.info.format)?.writing?.();
    const report = asks("reading") || asks("writing") ? await check(recording) : null;
    return {
      refused: null,
      reading: report !== null && asks("reading") ? await observeReading(recording, report) : null,
      states: asks("states") ? await observeStates(recording) : null,
      records: asks("records") ? await contentOf(recording) : null,
      ranges: asks("ranges") ? await compareRanges(recording) : null,
      writing:
        asks("writing") && writing?.create !== undefined && report?.status === "sound"
          ? await observeWriting(recording, files, writing, formats)
          : null,
      repair:
        asks("repair") && writing?.repair !== undefined
          ? await observeRepair(recording, files, writing, formats)
          : null,
    };
  } finally {
    await recording.close();
  }
}

/** The files as a recording; the first is the main one. */
export function openFiles(files: CaseFiles, formats: readonly Format[]): Promise<Recording> {
  return openBundle(bundle(files), formats);
}

/** Files that were written, the main one first. */
function writtenFiles(to: MemoryFiles): CaseFiles {
  const others = [...to.files].filter(([name]) => name !== to.name);
  return Object.fromEntries([[to.name, to.bytes], ...others]);
}

/** The damaged recording made whole: its files, and the report of it. */
export async function repaired(
  recording: Recording,
  files: CaseFiles,
  writing: WritingFormat,
  formats: readonly Format[],
): Promise<{ files: CaseFiles; report: Awaited<ReturnType<typeof repair>> }> {
  const to = new MemoryFiles(Object.keys(files)[0]!);
  const report = await repair(recording, bundle(files), writing, to, (written) => openBundle(written, formats));
  return { files: writtenFiles(to), report };
}

async function observeReading(
  recording: Recording,
  report: Awaited<ReturnType<typeof check>>,
): Promise<ReadingExpectation> {
  const { start, end, epoch, tick } = await recording.timeline();
  const statistics = await recording.statistics();
  return {
    status: report.status,
    channels: recording.channels
      .map(({ id, name, schema }) => [name, schema.name, statistics[id]!.messages] as const)
      .filter(([, , messages]) => messages > 0),
    timeline: {
      start,
      end,
      epoch: epoch === null ? null : String(epoch),
      tick: tick === null ? null : { name: tick.name, count: tick.count, duration: tick.duration },
    },
    messages: await messagesDigest(recording),
    findings: counted(report.findings.filter(({ severity }) => severity === "damage" || severity === "loss")),
  };
}

/** At the start, after a third and at the end. */
async function observeStates(recording: Recording): Promise<StateExpectation[]> {
  const { start, end } = await recording.timeline();
  const times = [...new Set([start, Math.round(start + (end - start) / 3), end])];
  const states: StateExpectation[] = [];
  for (const time of times) {
    const state = await recording.state(time);
    const sets = [...state.sets].filter(([, { ids }]) => ids.length > 0).sort(([a], [b]) => (a < b ? -1 : 1));
    states.push({
      time,
      values: state.values.size,
      sets: Object.fromEntries(sets.map(([name, { ids }]) => [name, ids.length])),
      sha256: await stateDigest(state),
    });
  }
  return states;
}

async function contentOf(recording: Recording): Promise<ContentExpectation> {
  const out = new ByteBuilder(1 << 16);
  for await (const records of recording.records()) for (const { bytes } of records) out.raw(bytes);
  const bytes = out.take();
  return { bytes: bytes.length, sha256: await sha256(bytes) };
}

async function observeWriting(
  recording: Recording,
  files: CaseFiles,
  writing: WritingFormat,
  formats: readonly Format[],
): Promise<WritingExpectation> {
  const to = new MemoryFiles(Object.keys(files)[0]!);
  await rewrite(recording, writing, to);
  const found = writtenFiles(to);
  const again = await openFiles(found, formats);
  try {
    const report = await check(again);
    if (report.status !== "sound") {
      throw new ObservationError(`what was written is damaged: ${report.findings[0]?.message}`);
    }
    if ((await messagesDigest(again)) !== (await messagesDigest(recording))) {
      throw new ObservationError("what was written has other messages");
    }
    if (await sameFiles(found, files)) return { keeps: "files" };
    const [before, after] = [await contentOf(recording), await contentOf(again)];
    return { keeps: before.sha256 === after.sha256 ? "content" : "messages" };
  } finally {
    await again.close();
  }
}

async function observeRepair(
  recording: Recording,
  files: CaseFiles,
  writing: WritingFormat,
  formats: readonly Format[],
): Promise<RepairExpectation> {
  const { files: found, report } = await repaired(recording, files, writing, formats);
  const again = await openFiles(found, formats);
  try {
    const after = await check(again);
    const fault = after.findings.find(
      ({ code, severity }) => (severity === "damage" || severity === "loss") && !code.startsWith("unsupported-"),
    );
    if (fault !== undefined) throw new ObservationError(`what was repaired is damaged: ${fault.message}`);
    const [main] = Object.keys(files);
    const own = [main!, ...(recording.reader.siblings ?? [])].map((name) => [name, files[name]!] as const);
    if (report.status === "sound" && !(await sameFiles(found, Object.fromEntries(own)))) {
      throw new ObservationError("the recording was sound, and repair changed it");
    }
    return {
      status: report.status,
      messagesKept: report.messagesKept,
      bytesLost: report.bytesLost,
      lost: report.lost.map(({ code, offset, length }) => [code, offset ?? null, length ?? null] as const),
      rebuilt: report.rebuilt.map(({ code }) => code),
      messages: await messagesDigest(again),
    };
  } finally {
    await again.close();
  }
}

/** Something that no recording may show, whatever is expected of it. */
export class ObservationError extends Error {
  override readonly name: string = "ObservationError";
}

function counted(findings: readonly Finding[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { code } of findings) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}

async function sameFiles(a: CaseFiles, b: CaseFiles): Promise<boolean> {
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  for (const name of names) {
    const [of, other] = [a[name]!, b[name]];
    if (other === undefined || of.length !== other.length || (await sha256(of)) !== (await sha256(other))) return false;
  }
  return true;
}

function bundle(files: CaseFiles): SourceBundle {
  return filesBundle(new Map(Object.entries(files)));
}
