import type { ByteBuilder } from "../../../bytes/builder.ts";
import type { ByteCursor } from "../../../bytes/cursor.ts";
import { writeVarint } from "../../../bytes/varint.ts";
import { PALETTE } from "../layout/chunk.ts";
import {
  readEffect,
  readJoin,
  readSetItems,
  readSpawn,
  writeEffect,
  writeJoin,
  writeSetItems,
  writeSpawn,
} from "../layout/entity-events.ts";
import { EVENT } from "../layout/events.ts";
import { writeGrid } from "../layout/motion.ts";
import { writeVarInt } from "../layout/framing.ts";
import {
  readChat,
  readMark,
  readParticles,
  readSetBlock,
  readSetBlocks,
  readSound,
  writeChat,
  writeMark,
  writeParticles,
  writeSetBlock,
  writeSound,
} from "../layout/world-events.ts";

/** What a palette index becomes; 0, "none", is never asked for. */
export type IndexMap = (kind: number, index: number) => number;

/**
 * Reads the body of core event `type` and writes it with other palette indices (events §2). False: events of this type
 * refer to no palette, and nothing was read or written.
 */
export function renumber(type: number, cursor: ByteCursor, out: ByteBuilder, map: IndexMap): boolean {
  const mapped = (kind: number, index: number): number => (index === 0 ? 0 : map(kind, index));
  switch (type) {
    case EVENT.setItems: {
      const { entity, items } = readSetItems(cursor);
      const renumbered = items.map(({ slot, item }) => ({ slot, item: mapped(PALETTE.item, item) }));
      writeSetItems(out, { entity, items: renumbered });
      return true;
    }
    case EVENT.setBlock: {
      const { delta, block } = readSetBlock(cursor);
      writeSetBlock(out, { delta, block: mapped(PALETTE.block, block) });
      return true;
    }
    case EVENT.setBlocks: {
      const { section, blocks } = readSetBlocks(cursor);
      writeGrid(out, section);
      writeVarInt(out, blocks.length);
      for (const packed of blocks) writeVarint(out, mapped(PALETTE.block, packed >>> 12) * 4096 + (packed & 0xfff));
      return true;
    }
    case EVENT.spawn: {
      const event = readSpawn(cursor);
      const profile = event.profile === null ? null : mapped(PALETTE.profile, event.profile);
      writeSpawn(out, { ...event, type: mapped(PALETTE.entityType, event.type), profile });
      return true;
    }
    case EVENT.join: {
      const event = readJoin(cursor);
      writeJoin(out, { ...event, profile: mapped(PALETTE.profile, event.profile) });
      return true;
    }
    case EVENT.chat: {
      const event = readChat(cursor);
      writeChat(out, { ...event, text: mapped(PALETTE.text, event.text) });
      return true;
    }
    case EVENT.sound: {
      const event = readSound(cursor);
      writeSound(out, { ...event, sound: mapped(PALETTE.sound, event.sound) });
      return true;
    }
    case EVENT.particles: {
      const event = readParticles(cursor);
      writeParticles(out, { ...event, particle: mapped(PALETTE.particle, event.particle) });
      return true;
    }
    case EVENT.effect: {
      const event = readEffect(cursor);
      writeEffect(out, { ...event, effect: mapped(PALETTE.text, event.effect) });
      return true;
    }
    case EVENT.mark: {
      const event = readMark(cursor);
      writeMark(out, { ...event, text: mapped(PALETTE.text, event.text) });
      return true;
    }
    default:
      return false;
  }
}
