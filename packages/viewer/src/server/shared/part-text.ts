import { clock } from "../../time.ts";

/** Which part of a recording a link shows. Seconds; null: as far as it goes. */
export function partText(first: number | null, last: number | null): string {
  if (first === null && last === null) return "Shared";
  const text = (time: number): string => clock(time * 1e9, 1);
  if (first === last) return `Shared: the moment at ${text(first!)}`;
  if (first === null) return `Shared: until ${text(last!)}`;
  return last === null ? `Shared: from ${text(first)} on` : `Shared: ${text(first)} to ${text(last)}`;
}
