import type { Row } from "./search/columns.ts";
import type { RecordingItem } from "./shapes.ts";

export function itemOf(row: Row): RecordingItem {
  const { id, key, name, state, error, format, bytes, seconds, summary, owner, collection, tags, twin } = row;
  const main = key.split("/").at(-1)!;
  return {
    ...{ id, name, key, state, error, format, bytes, seconds, summary, owner, collection, tags },
    started: dateText(row.started),
    added: row.added.toISOString(),
    findings: row.count,
    duplicate: twin,
    url: `/api/recordings/${id}/files/${encodeURIComponent(main)}`,
    thumbnail: `/api/recordings/${id}/thumbnail`,
    page: `/r/${id}`,
  };
}

/** A year that JSON cannot write as a date is left out. */
function dateText(date: Date | null): string | null {
  return date === null || Number.isNaN(date.getTime()) ? null : date.toISOString();
}
