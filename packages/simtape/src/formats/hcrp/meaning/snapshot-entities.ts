import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { readZigzag } from "../../../bytes/varint.ts";
import type { Palettes } from "../chunk/context.ts";
import { readVarInt } from "../layout/framing.ts";
import { PALETTE } from "../layout/chunk.ts";
import { readIdentity } from "../layout/entity-events.ts";
import { readCount } from "../layout/lists.ts";
import { degreesOf, GRID, PLACE_ON_GROUND } from "../layout/motion.ts";
import type { Subject } from "../layout/metadata.ts";
import type { ActorColumns } from "./scene.ts";

/** Bytes of an entity at least, in the long form of section 1. */
const LEAST = 15;

/** Section 1 of a snapshot in columns: there may be thousands of entities, and a seek waits for them. */
export interface EntityRows {
  readonly entity: readonly number[];
  /** Index into the palette of entity types. */
  readonly type: Int32Array;
  /** Grid steps, three for each. */
  readonly q: Float64Array;
  readonly yaw: Uint16Array;
  readonly pitch: Uint16Array;
  readonly placeFlags: Uint8Array;
  readonly pose: Uint8Array;
  readonly flags: Uint8Array;
  readonly heldSlot: Uint8Array;
  readonly itemUse: Uint8Array;
  readonly uuid: readonly (string | null)[];
  /** Index into the palette of profiles. */
  readonly profile: readonly (number | null)[];
}

/** Null when it is not the long form to its last byte (see `readEntities`), or has an entity twice. */
export function readEntityRows(body: Uint8Array): EntityRows | null {
  try {
    const cursor = new ByteCursor(body);
    const rows = readRows(cursor);
    return cursor.remaining === 0 && isDistinct(rows.entity) ? rows : null;
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    return null;
  }
}

function readRows(cursor: ByteCursor): EntityRows {
  const count = readCount(cursor, LEAST);
  const entity: number[] = [];
  const uuid: (string | null)[] = [];
  const profile: (number | null)[] = [];
  const type = new Int32Array(count);
  const q = new Float64Array(3 * count);
  const [yaw, pitch] = [new Uint16Array(count), new Uint16Array(count)];
  const bytes = Array.from({ length: 5 }, () => new Uint8Array(count)) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];
  for (let i = 0; i < count; i++) {
    entity.push(readVarInt(cursor));
    type[i] = readVarInt(cursor);
    for (let k = 0; k < 3; k++) q[3 * i + k] = readZigzag(cursor);
    yaw[i] = cursor.u16be();
    pitch[i] = cursor.u16be();
    for (const column of bytes) column[i] = cursor.u8();
    const identity = readIdentity(cursor);
    uuid.push(identity.uuid);
    profile.push(identity.profile);
  }
  const [placeFlags, pose, flags, heldSlot, itemUse] = bytes;
  return { entity, type, q, yaw, pitch, placeFlags, pose, flags, heldSlot, itemUse, uuid, profile };
}

/** Whose name the metadata of the recording tells, by entity. */
export type Subjects = ReadonlyMap<number, Subject>;

/** Puts those `at` these places of `rows` into a set that has nothing yet. */
export function putRows(
  columns: ActorColumns,
  rows: EntityRows,
  at: readonly number[],
  subjects: Subjects,
  palettes: Pick<Palettes, "name">,
): void {
  const { entity, q, yaw, pitch } = rows;
  const kinds = new Map<number, string | null>();
  columns.set.add(at.map((i) => entity[i]!));
  const [grid, displacement, angles] = [columns.grid.added(), columns.displacement.added(), columns.angles.added()];
  const [position, rotation, headYaw] = [columns.position.added(), columns.rotation.added(), columns.headYaw.added()];
  const [onGround, pose, flags] = [columns.onGround.added(), columns.pose.added(), columns.flags.added()];
  const [heldSlot, itemUse] = [columns.heldSlot.added(), columns.itemUse.added()];
  for (let row = 0; row < at.length; row++) {
    const i = at[row]!;
    for (let k = 0; k < 3; k++) {
      const step = q[3 * i + k]!;
      grid[3 * row + k] = step;
      position[3 * row + k] = step / GRID;
      displacement[3 * row + k] = 0;
    }
    angles[3 * row] = yaw[i]!;
    angles[3 * row + 1] = pitch[i]!;
    angles[3 * row + 2] = 0;
    const heading = degreesOf(yaw[i]!);
    rotation[3 * row] = 0;
    rotation[3 * row + 1] = degreesOf(pitch[i]!);
    rotation[3 * row + 2] = heading;
    headYaw[row] = heading;
    onGround[row] = rows.placeFlags[i]! & PLACE_ON_GROUND;
    pose[row] = rows.pose[i]!;
    flags[row] = rows.flags[i]!;
    heldSlot[row] = rows.heldSlot[i]!;
    itemUse[row] = rows.itemUse[i]!;
    const type = rows.type[i]!;
    let kind = kinds.get(type);
    if (kind === undefined) {
      kind = palettes.name(PALETTE.entityType, type);
      kinds.set(type, kind);
    }
    identify(
      columns,
      row,
      { kind, uuid: rows.uuid[i]!, profile: rows.profile[i]! },
      subjects.get(entity[i]!),
      palettes,
    );
  }
}

/** What a message says of who an entity is. */
export interface Who {
  readonly kind: string | null;
  readonly uuid: string | null;
  /** Index into the palette of profiles. */
  readonly profile: number | null;
}

/** Writes what is known of who the thing in a row is; what is not stays as it was. */
export function identify(
  { kind, label, uuid }: ActorColumns,
  row: number,
  who: Who,
  subject: Subject | undefined,
  palettes: Pick<Palettes, "name">,
): void {
  const name = (who.profile === null ? null : palettes.name(PALETTE.profile, who.profile)) ?? subject?.name ?? "";
  const id = who.uuid ?? subject?.uuid ?? "";
  if (who.kind !== null) kind.putText(row, who.kind);
  if (name !== "") label.putText(row, name);
  if (id !== "") uuid.putText(row, id);
}

/** Most snapshots have them ascending. */
function isDistinct(entities: readonly number[]): boolean {
  for (let i = 1; i < entities.length; i++) {
    if (entities[i]! <= entities[i - 1]!) return new Set(entities).size === entities.length;
  }
  return true;
}
