import { SourceError } from "../io/source/source.ts";
import type { SpoolFactory } from "../io/source/spool.ts";
import { type Finding, RecordingError } from "../model/error.ts";
import { findingBatch } from "../sql/facts.ts";
import { EVERYTHING } from "../sql/wanted.ts";
import { dayOf, NO_FORMAT } from "./layout.ts";
import type { LakeOrigin } from "./manifest.ts";
import { type MadeFile, ParquetRows } from "./parquet-rows.ts";
import type { LakeSource } from "./source.ts";
import { type LakeContent, type LakeRows, tablesOf } from "./tables.ts";

/** The files of one recording, made and not stored yet. */
export interface MadeRecording extends Pick<LakeOrigin, "format" | "day" | "outcome" | "findings"> {
  readonly files: readonly MadeFile[];
}

/**
 * Reads a recording into files. Of a damaged one they have what is readable; of one that does not open, findings alone.
 * Throws `SourceError` and `StoreError` where its bytes cannot be had, which is no fault of the recording.
 */
export async function makeFiles(
  source: LakeSource,
  id: string,
  content: LakeContent,
  spool: SpoolFactory,
  signal: AbortSignal | undefined,
): Promise<MadeRecording> {
  const files: MadeFile[] = [];
  try {
    return await made(source, id, content, spool, signal, files);
  } catch (error) {
    for (const file of files) await file.content.close();
    throw error;
  }
}

async function made(
  source: LakeSource,
  id: string,
  content: LakeContent,
  spool: SpoolFactory,
  signal: AbortSignal | undefined,
  files: MadeFile[],
): Promise<MadeRecording> {
  const found: Finding[] = [];
  const facts = { format: NO_FORMAT, day: null as string | null };
  let findings = 0;
  try {
    await using recording = await source.open(signal);
    facts.format = recording.info.format;
    const { epoch, start } = await recording.timeline();
    facts.day = dayOf(epoch, start);
    const subject = { id, file: source.file, tags: source.tags ?? [], recording };
    try {
      for await (const rows of tablesOf(subject, content, signal)) {
        const file = await fileOf(rows, spool, found, signal);
        if (file !== null) files.push(file);
      }
    } catch (error) {
      // the tables behind it are not known
      found.push(findingOf(error, signal));
    }
    findings = recording.findings.filter(({ severity }) => severity === "damage" || severity === "loss").length;
  } catch (error) {
    found.push(findingOf(error, signal));
    if (facts.format === NO_FORMAT) {
      files.push((await findingsFile(id, found, spool))!);
      return { ...facts, outcome: "unreadable", findings: found.length, files };
    }
  }
  if (found.length > 0) await addFindings(id, found, spool, files);
  findings += found.length;
  return { ...facts, outcome: findings > 0 ? "damaged" : "whole", findings, files };
}

/** The rows as far as they can be read; what ends them is a finding. */
async function fileOf(
  { table, rows, axes }: LakeRows,
  spool: SpoolFactory,
  found: Finding[],
  signal: AbortSignal | undefined,
): Promise<MadeFile | null> {
  const file = new ParquetRows(table, rows.columns, axes, spool);
  let isCut = false;
  try {
    try {
      for await (const batch of rows.batches()) await file.write(batch);
    } catch (error) {
      found.push(findingOf(error, signal));
      isCut = true;
    }
    return await file.end();
  } catch (error) {
    await file.close();
    // a value that no file holds ends the rows, and stays in the way of those before it
    if (!isCut) found.push(findingOf(error, signal));
    else findingOf(error, signal);
    return null;
  }
}

/** What makes a recording unreadable, or a part of it. Throws everything else. */
function findingOf(error: unknown, signal: AbortSignal | undefined): Finding {
  signal?.throwIfAborted();
  if (!RecordingError.is(error) || error.code === "closed" || error.cause instanceof SourceError) throw error;
  const { code, message, offset } = error;
  return { code: `lake:${code}`, severity: "loss", message, ...(offset === null ? {} : { offset }) };
}

async function findingsFile(id: string, findings: readonly Finding[], spool: SpoolFactory): Promise<MadeFile | null> {
  const { columns, batch } = findingBatch(id, findings, EVERYTHING);
  const file = new ParquetRows("findings", columns, null, spool);
  await file.write(batch);
  return file.end();
}

/** Findings of the lake stand in a file of their own, beside those of the recording. */
async function addFindings(
  id: string,
  findings: readonly Finding[],
  spool: SpoolFactory,
  files: MadeFile[],
): Promise<void> {
  const file = await findingsFile(id, findings, spool);
  if (file !== null) files.push(file);
}
