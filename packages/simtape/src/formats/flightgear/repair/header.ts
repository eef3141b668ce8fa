import { propertyNode } from "../../../codec/properties.ts";
import type { RepairNote } from "../../../model/writer.ts";
import type { TapeHeader } from "../layout/header.ts";
import type { FlightGearReader } from "../read/reader.ts";
import { readSignalList, writeSignalList } from "../layout/signals.ts";

/** The header that a repaired tape gets: the same, when nothing is wrong with it. */
export function repairHeader(tape: FlightGearReader, note: RepairNote): TapeHeader {
  const { header, layout } = tape;
  const rebuilt = (message: string): void => {
    note.rebuilt({ code: "header", severity: "note", message, offset: 0, length: header.bytes.length });
  };
  const { declaredSize, recordSize } = header.signals;
  const isWrongSize = declaredSize !== null && declaredSize !== recordSize;
  if (isWrongSize || header.isRepaired) {
    const size = isWrongSize ? `, its record size ${recordSize} instead of ${declaredSize}` : "";
    rebuilt(`the header, from its readable part${size}`);
    // Names and types in the one form that reads back as the same list.
    const config = propertyNode("signals", { children: writeSignalList(header.recorder, header.signals.signals) });
    return { ...header, config, signals: readSignalList(config), isRepaired: true };
  }
  if (header.layout !== "current") return header;
  if (layout.data !== header.data) {
    rebuilt("the items of a frame, in the header");
    return { ...header, isRepaired: true };
  }
  if (header.isCompressed !== (layout.frames === "deflate")) {
    rebuilt("whether frames are compressed, in the header");
    return { ...header, isRepaired: true };
  }
  return header;
}
