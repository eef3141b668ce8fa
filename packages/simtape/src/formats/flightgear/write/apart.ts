import type { Reader } from "../../../model/reader.ts";
import type { TapeLayout } from "../layout/frame-table.ts";
import { FlightGearReader } from "../read/reader.ts";
import { listText } from "./writer.ts";

/** A tape has one list of signals in its header: what makes records of another list unreadable behind it. */
export function apart(one: Reader, other: Reader): string | null {
  const [a, b] = [layoutOf(one), layoutOf(other)];
  if (a === null || b === null || listText(a.signals) === listText(b.signals)) return null;
  return `its ${b.signals.signals.length} signals are not the ${a.signals.signals.length} of the tape before it`;
}

/** Null where a tape has no records of signals. */
function layoutOf(reader: Reader): TapeLayout | null {
  const base = reader.base ?? reader;
  if (!(base instanceof FlightGearReader)) return null;
  return base.layout.channels.includes("signals") ? base.layout : null;
}
