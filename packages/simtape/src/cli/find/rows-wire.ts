import { type RecordingErrorCode, RecordingError } from "../../model/error.ts";
import type { Finding } from "../../model/error.ts";
import type { AskedTable, FarSource, ReadPart } from "../../sql/elsewhere.ts";
import type { SqlBatch, SqlCells, SqlColumn } from "../../sql/kinds.ts";

/** Batches that a thread sends ahead of those that were taken. */
export const AHEAD = 16;

/** A message to a thread that reads rows. */
export type ToRows = { readonly number: number } & (
  | {
      readonly how: "read";
      readonly source: FarSource;
      readonly tables: readonly AskedTable[];
      readonly more: readonly string[];
    }
  | { readonly how: "taken" }
  | { readonly how: "leave" }
);

/** What a thread says of a recording. Findings follow at the end. */
export type FromRows = { readonly number: number } & (
  | Exclude<ReadPart, { readonly how: "rows" }>
  | { readonly how: "rows"; readonly length: number; readonly cells: readonly WireCells[] }
  | { readonly how: "end"; readonly findings: readonly Finding[] }
  | { readonly how: "failed"; readonly failure: WireFailure; readonly findings: readonly Finding[] }
  /** A fault of ours. */
  | { readonly how: "fault"; readonly text: string }
);

/** The members of a `RecordingError`. */
interface WireFailure {
  readonly code: RecordingErrorCode;
  readonly message: string;
  readonly format: string | null;
  readonly offset: number | null;
}

/** Cells, or the one text that all of them have. */
type WireCells = SqlCells | { readonly same: string };

/** A batch without the name of its recording in each row, and the buffers that move with it. */
export function packed(
  { cells }: SqlBatch,
  columns: readonly SqlColumn[],
): { readonly cells: readonly WireCells[]; readonly moved: ArrayBuffer[] } {
  const moved = new Set<ArrayBuffer>();
  const wire = cells.map((one, k): WireCells => {
    const first = one.data[0];
    const isSame = columns[k]!.kind === "recording" && (one.data as readonly string[]).every((name) => name === first);
    if (isSame) return { same: first as string };
    for (const part of [one.data, one.valid])
      if (ArrayBuffer.isView(part) && part.buffer instanceof ArrayBuffer) moved.add(part.buffer);
    return one;
  });
  return { cells: wire, moved: [...moved] };
}

/** The batch that was packed. */
export function unpacked(length: number, cells: readonly WireCells[]): SqlBatch {
  return {
    length,
    cells: cells.map((one) => ("same" in one ? { data: new Array<string>(length).fill(one.same), valid: null } : one)),
  };
}

export function packedFailure({ code, message, format, offset }: RecordingError): WireFailure {
  return { code, message, format, offset };
}

export function unpackedFailure({ code, message, format, offset }: WireFailure): RecordingError {
  return new RecordingError(code, message, { format: format ?? undefined, offset: offset ?? undefined });
}
