import {
  check,
  FORMATS,
  LayoutError,
  MemoryFiles,
  open,
  type Recording,
  RecordingError,
  repair,
  type RepairReport,
} from "../../src/index.ts";
import { bundleOfFiles } from "./mutate.ts";

export type Files = Readonly<Record<string, Uint8Array>>;

/** What came of repairing: what was written with its report, or the one error. */
export type Repaired =
  | { readonly error: RecordingError }
  | { readonly error: null; readonly report: RepairReport; readonly files: Files };

/** Repairs in memory. Throws what is neither a report nor a `RecordingError`. */
export async function repaired(files: Files): Promise<Repaired> {
  let recording: Recording;
  try {
    recording = await open(bundleOfFiles(files));
  } catch (error) {
    if (RecordingError.is(error)) return { error };
    throw error;
  }
  const name = nameOf(recording, Object.keys(files)[0]!);
  const written = new MemoryFiles(name);
  // A repair takes its dictionary along.
  const dictionaries = Object.fromEntries(Object.entries(files).filter(([of]) => of.endsWith(".dict")));
  const beside = bundleOfFiles({ "": new Uint8Array(0), ...dictionaries });
  try {
    const writing = await FORMATS.find(({ id }) => id === recording.info.format)!.writing!();
    const report = await repair(recording, bundleOfFiles(files), writing, written, (held) =>
      open({ name, open: async (of) => (await held.open(of)) ?? (of === undefined ? null : beside.open(of)) }),
    );
    return { error: null, report, files: { ...filesOf(written), ...dictionaries } };
  } catch (error) {
    if (RecordingError.is(error)) return { error };
    throw error;
  } finally {
    await recording.close();
  }
}

/** A recording that is a folder becomes one file when it is repaired. */
function nameOf(recording: Recording, main: string): string {
  return recording.info.format === "hcrp" && !main.endsWith(".hcrp") ? `${main}.hcrp` : main;
}

function filesOf(written: MemoryFiles): Files {
  const names = [written.name, ...[...written.files.keys()].filter((name) => name !== written.name)];
  return Object.fromEntries(names.map((name) => [name, written.files.get(name)!]));
}

export interface Reported {
  readonly channel: string;
  readonly time: number;
  /** The payload, or what it says. */
  readonly content: string;
}

/** Every message, in order; none where the files cannot be opened. */
export async function messagesOf(files: Files): Promise<Reported[]> {
  const found: Reported[] = [];
  await using recording = await open(bundleOfFiles(files));
  for await (const batch of recording.batches()) {
    for (let i = 0; i < batch.length; i++) {
      const { name, schema } = recording.channels[batch.channel[i]!]!;
      // Behind the signals of a frame stands filler, which frames of one length need: what they say is what counts.
      // Entries of palettes that nothing refers to leave, and those behind them move up.
      const content =
        recording.info.format === "hcrp"
          ? decoded(() => schema.decode(batch.payload(i), batch.context))
          : name === "signals"
            ? decoded(() => Object.values(schema.decode(batch.payload(i), batch.context) as object))
            : Buffer.from(batch.payload(i)).toString("base64");
      found.push({ channel: name, time: batch.time[i]!, content });
    }
  }
  return found;
}

/**
 * What is wrong with the repair of `files`, each in words; empty when all is well: the result is sound, the account adds
 * up, nothing is invented, and a second repair changes nothing. `result`: what `repaired` gave, if it is known.
 */
export async function faultsOfRepair(files: Files, result: Repaired | null = null): Promise<string[]> {
  result ??= await repaired(files);
  if (result.error !== null) return [];
  const faults: string[] = [];
  const { report } = result;
  await using again = await open(bundleOfFiles(result.files));
  const found = await check(again);
  const wrong = found.findings.filter(({ severity }) => severity === "damage" || severity === "loss");
  // What only a newer reader can read is kept as it is, and reported for ever.
  const isNewer = wrong.some(({ code }) => code.startsWith("unsupported-"));
  for (const { code, message } of wrong)
    if (!code.startsWith("unsupported-")) faults.push(`not sound: ${code}: ${message}`);
  const { bytesKept, bytesLost } = report;
  if (!(Number.isSafeInteger(bytesKept) && Number.isSafeInteger(bytesLost) && bytesKept >= 0 && bytesLost >= 0))
    faults.push(`impossible account: ${bytesKept} bytes kept, ${bytesLost} lost`);
  if (report.messagesKept !== found.messages)
    faults.push(`${report.messagesKept} messages are said to be kept, ${found.messages} are there`);
  if (report.status === "sound" && report.lost.length + report.rebuilt.length > 0)
    faults.push("a sound one lost something");
  const second = await repaired(result.files);
  if (second.error !== null) faults.push(`its repair fails: ${second.error.message}`);
  else if ((second.report.status !== "sound" && !isNewer) || !areEqual(second.files, result.files))
    faults.push(`a second repair changes it: ${second.report.status}`);
  faults.push(...(await invented(files, result.files, report)));
  return faults;
}

/** Fields of HCRP that are places in a palette, with the name that stands there beside them; and the palettes. */
const INDICES: ReadonlySet<string> = new Set([
  "block",
  "item",
  "type",
  "profile",
  "text",
  "sound",
  "particle",
  "effect",
  "palettes",
]);

function decoded(decode: () => unknown): string {
  try {
    return JSON.stringify(decode(), (key, value: unknown) => {
      if (INDICES.has(key)) return undefined;
      if (key === "blocks" && value instanceof Uint32Array) return Array.from(value, (packed) => packed & 0xfff);
      return typeof value === "bigint" ? String(value) : value;
    });
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    return error.message;
  }
}

function areEqual(a: Files, b: Files): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => b[name] !== undefined && Buffer.compare(a[name]!, b[name]) === 0)
  );
}

/** Messages of the result that are not of the source, beyond those whose making the report tells. */
async function invented(source: Files, result: Files, report: RepairReport): Promise<string[]> {
  // A header that is made out again may have other names for channels.
  const isRenamed = report.rebuilt.some(({ code }) => code === "header");
  // CARLA's writer numbers frames and says how long they are, and begins with an empty one where the first is missing.
  const key = ({ channel, content }: Reported): string =>
    channel === "frame-start" || channel === "frame-end" ? channel : isRenamed ? content : `${channel} ${content}`;
  const had = counted((await messagesOf(source)).map(key));
  const made = (await messagesOf(result)).filter((message) => !taken(had, key(message))).map(({ channel }) => channel);
  const empty = made.filter((channel) => channel === "frame-start").length > 0 ? 2 : 0;
  const reported = report.rebuilt.length + report.lost.length + empty;
  return made.length > reported
    ? [`${made.length} messages were made (${[...new Set(made)].join(", ")}), ${reported} reported`]
    : [];
}

/** How often each text occurs. */
export function counted(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/** Takes one of a text away; false when there is none. */
export function taken(counts: Map<string, number>, text: string): boolean {
  const count = counts.get(text) ?? 0;
  if (count === 0) return false;
  counts.set(text, count - 1);
  return true;
}

/** A message and the bytes of its file that it lies in. */
export interface Placed {
  /** Channel and payload. */
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** Messages of a main file in which every one is a record of its own, with their places. */
export async function placesOf(files: Files): Promise<Placed[]> {
  await using recording = await open(bundleOfFiles(files));
  const rows: { sequence: number; text: string }[] = [];
  for await (const batch of recording.batches()) {
    for (let i = 0; i < batch.length; i++) {
      const { name } = recording.channels[batch.channel[i]!]!;
      rows.push({ sequence: batch.sequence[i]!, text: `${name} ${Buffer.from(batch.payload(i)).toString("base64")}` });
    }
  }
  rows.sort((a, b) => a.sequence - b.sequence);
  const found: Placed[] = [];
  for await (const records of recording.records()) {
    for (const { kind, offset, bytes } of records) {
      if (NO_MESSAGES.has(kind) || kind.endsWith("header")) continue;
      const row = rows[found.length];
      if (row !== undefined) found.push({ text: row.text, from: offset, to: offset + bytes.length });
    }
  }
  return found;
}

const NO_MESSAGES: ReadonlySet<string> = new Set([
  "header",
  "file-header",
  "block",
  "channel-info",
  "index",
  "trailing",
  "damaged",
]);
