import { clock } from "../../time.ts";

/** What of a recording is shown to who has a link to it. Seconds; null: as far as it goes. */
export function partText(first: number | null, last: number | null): string {
  return first === null && last === null ? "Shared" : `Shared: ${partOf(first, last)}`;
}

/** What a link shows. */
export function shownText(first: number | null, last: number | null): string {
  const part = first === null && last === null ? "the whole recording" : partOf(first, last);
  return part[0]!.toUpperCase() + part.slice(1);
}

function partOf(first: number | null, last: number | null): string {
  const text = (time: number): string => clock(time * 1e9, 1);
  if (first === last) return `the moment at ${text(first!)}`;
  if (first === null) return `until ${text(last!)}`;
  return last === null ? `from ${text(first)} on` : `${text(first)} to ${text(last)}`;
}
