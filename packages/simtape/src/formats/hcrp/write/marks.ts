import type { Time } from "../../../model/values/time.ts";
import type { Writer } from "../../../model/writer.ts";
import { TICK } from "../layout/framing.ts";
import { HcrpWriter } from "./writer.ts";

/** The kind of mark that a user sets (spec §4). */
const BOOKMARK = "bookmark";

/**
 * Notes as marks in the metadata of a recording, where every program that knows HCRP finds them: call it before the first
 * message. Throws `RangeError` for a writer that is not one of HCRP version 1.
 */
export function putMarks(
  writer: Writer,
  notes: readonly { readonly at: Time; readonly kind: string; readonly text: string }[],
): void {
  if (!(writer instanceof HcrpWriter)) throw new RangeError("not a writer of HCRP");
  for (const { at, kind, text } of notes) {
    writer.mark(Math.round(at / TICK), kind === "note" ? BOOKMARK : kind, text);
  }
}
