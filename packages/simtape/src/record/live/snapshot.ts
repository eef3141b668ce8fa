import { ByteBuilder } from "../../bytes/builder.ts";
import {
  PALETTE,
  SECTION,
  type Section,
  writeBlockEdits,
  writeEntities,
  writeInventories,
  writeMetadataList,
  writeSections,
} from "../../formats/hcrp/layout/chunk.ts";
import { writeWorld } from "../../formats/hcrp/layout/world-events.ts";
import { PaletteIndex } from "../../formats/hcrp/meaning/snapshot-palettes.ts";
import type { Body } from "./body.ts";

/** What a world is known to be. */
export interface Tracked {
  readonly bodies: Map<number, Body>;
  /** Edits against the world version, by `x,y,z`. */
  readonly blocks: Map<string, { readonly at: readonly [number, number, number]; state: string }>;
  dimension: string | null;
  /** As written last. */
  time: number | null;
  weather: number | null;
}

/** Payload of a snapshot (HCRP events §2), and the palettes that it begins its chunk with. */
export function snapshotOf(tracked: Tracked): { payload: Uint8Array; names: PaletteIndex } {
  const names = new PaletteIndex();
  const out = new ByteBuilder();
  const bodies = [...tracked.bodies.values()];
  const section = (type: number, write: () => void): Section => {
    write();
    return { type, body: out.take() };
  };
  const entities = section(SECTION.entities, () => {
    writeEntities(
      out,
      bodies.map((body) => ({
        entity: body.entity,
        place: body.place(0),
        details: {
          type: names.index(PALETTE.entityType, body.type),
          pose: body.pose,
          flags: body.flags,
          heldSlot: body.heldSlot,
          itemUse: body.itemUse,
          uuid: body.uuid,
          profile: body.name === null ? null : names.index(PALETTE.profile, body.name),
        },
      })),
    );
  });
  const blocks = section(SECTION.blocks, () => {
    let [x, y, z] = [0, 0, 0];
    const edits = Array.from(tracked.blocks.values(), ({ at, state }) => {
      const delta = Float64Array.of(at[0] - x, at[1] - y, at[2] - z);
      [x, y, z] = at;
      return { delta, block: names.index(PALETTE.block, state) };
    });
    writeBlockEdits(out, edits);
  });
  const inventories = section(SECTION.inventories, () => {
    const held = bodies.filter(({ items }) => items.size > 0);
    const filled = held.map(({ entity, items }) => ({
      entity,
      items: Array.from(items, ([slot, item]) => ({ slot, item: names.index(PALETTE.item, item) })),
    }));
    writeInventories(out, filled);
  });
  const metadata = section(SECTION.metadata, () => {
    const described = bodies.filter((body) => body.metadata.size > 0);
    const entries = (body: Body): { index: number; bytes: Uint8Array }[] =>
      Array.from(body.metadata, ([index, bytes]) => ({ index, bytes }));
    writeMetadataList(
      out,
      described.map((body) => ({ entity: body.entity, entries: entries(body) })),
    );
  });
  const { time, weather, dimension } = tracked;
  const world = section(SECTION.world, () => {
    writeWorld(out, { time, weather });
  });
  if (dimension !== null) names.index(PALETTE.dimension, dimension);
  const sections: Section[] = [{ type: SECTION.palettes, body: names.section() }, entities];
  if (tracked.blocks.size > 0) sections.push(blocks);
  if (bodies.some(({ items }) => items.size > 0)) sections.push(inventories);
  if (time !== null || weather !== null) sections.push(world);
  if (bodies.some((body) => body.metadata.size > 0)) sections.push(metadata);
  writeSections(out, sections);
  return { payload: out.take(), names };
}
