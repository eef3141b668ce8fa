import { ByteBuilder } from "../../bytes/builder.ts";
import { ByteCursor } from "../../bytes/cursor.ts";
import {
  readEventId,
  readPalettes,
  readSections,
  readTickHead,
  SECTION,
  type Section,
  writePalettes,
  writeSections,
} from "../../formats/hcrp/layout/chunk.ts";
import { EVENT, FIRST_SIZED, skipEvent } from "../../formats/hcrp/layout/events.ts";
import { readPaletteAdd, writePaletteAdd } from "../../formats/hcrp/layout/world-events.ts";
import { readVarInt, writeVarInt } from "../../formats/hcrp/layout/framing.ts";
import type { NameFix } from "../../formats/hcrp/chunk/names.ts";

/**
 * A sound chunk with the names in its palettes brought up to date (HCRP spec §9): those of its snapshot and those that
 * events add. Indices stay as they are, and so does all else. Throws `LayoutError` for a chunk that is not sound.
 */
export function transcoded(raw: Uint8Array, hasSnapshot: boolean, names: NameFix): Uint8Array {
  const cursor = new ByteCursor(raw);
  const builder = new ByteBuilder(raw.length + 64);
  if (hasSnapshot) {
    const snapshot = snapshotOf(cursor.view(readVarInt(cursor)), names);
    writeVarInt(builder, snapshot.length);
    builder.raw(snapshot);
  }
  let copied = cursor.position;
  while (cursor.remaining > 0) {
    const { count } = readTickHead(cursor);
    for (let i = 0; i < count; i++) {
      const type = readEventId(cursor);
      if (type >= FIRST_SIZED) {
        cursor.skip(readVarInt(cursor));
        continue;
      }
      const start = cursor.position;
      skipEvent(cursor, type);
      if (type !== EVENT.paletteAdd) continue;
      const { kind, entry } = readPaletteAdd(new ByteCursor(raw, start));
      const fixed = names.entry(kind, entry);
      if (fixed === entry) continue;
      writePaletteAdd(builder.raw(raw.subarray(copied, start)), { kind, entry: fixed });
      copied = cursor.position;
    }
  }
  return builder.raw(raw.subarray(copied)).take();
}

function snapshotOf(bytes: Uint8Array, names: NameFix): Uint8Array {
  const sections = readSections(new ByteCursor(bytes)).map((section): Section => {
    if (section.type !== SECTION.palettes) return section;
    const kinds = readPalettes(new ByteCursor(section.body));
    const builder = new ByteBuilder(section.body.length + 64);
    writePalettes(
      builder,
      kinds.map((entries, kind) => entries.map((entry) => names.entry(kind, entry))),
    );
    return { ...section, body: builder.take() };
  });
  const builder = new ByteBuilder(bytes.length + 64);
  writeSections(builder, sections);
  return builder.take();
}
