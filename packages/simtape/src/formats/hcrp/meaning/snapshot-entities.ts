import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { readZigzag } from "../../../bytes/varint.ts";
import type { Palettes } from "../chunk/context.ts";
import { readVarInt, UUID, uuidText } from "../layout/framing.ts";
import { PALETTE } from "../layout/chunk.ts";
import { HAS_PROFILE, HAS_UUID, readIdentityBits } from "../layout/entity-events.ts";
import { readCount } from "../layout/lists.ts";
import { degreesOf, GRID, PLACE_ON_GROUND } from "../layout/motion.ts";
import type { Subject } from "../layout/metadata.ts";
import type { ActorColumns } from "./scene.ts";

/** Bytes of an entity at least, in the long form of section 1. */
export const LEAST_ENTITY = 15;

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

/** One entity of the long form. A reading hands in the same one for every entity. */
export class EntityRow {
  entity = 0;
  /** Index into the palette of entity types. */
  type = 0;
  /** Grid steps. */
  x = 0;
  y = 0;
  z = 0;
  yaw = 0;
  pitch = 0;
  placeFlags = 0;
  pose = 0;
  flags = 0;
  heldSlot = 0;
  itemUse = 0;
  /** Where the uuid is in the bytes of the cursor; -1: there is none. */
  uuidAt = -1;
  /** Index into the palette of profiles; -1: there is none. */
  profile = -1;

  read(cursor: ByteCursor): void {
    this.entity = readVarInt(cursor);
    this.type = readVarInt(cursor);
    this.x = readZigzag(cursor);
    this.y = readZigzag(cursor);
    this.z = readZigzag(cursor);
    this.yaw = cursor.u16be();
    this.pitch = cursor.u16be();
    this.placeFlags = cursor.u8();
    this.pose = cursor.u8();
    this.flags = cursor.u8();
    this.heldSlot = cursor.u8();
    this.itemUse = cursor.u8();
    const has = readIdentityBits(cursor);
    this.uuidAt = (has & HAS_UUID) === 0 ? -1 : cursor.position;
    if (this.uuidAt >= 0) cursor.skip(UUID);
    this.profile = (has & HAS_PROFILE) === 0 ? -1 : readVarInt(cursor);
  }
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
  const count = readCount(cursor, LEAST_ENTITY);
  const entity: number[] = [];
  const uuid: (string | null)[] = [];
  const profile: (number | null)[] = [];
  const type = new Int32Array(count);
  const q = new Float64Array(3 * count);
  const [yaw, pitch] = [new Uint16Array(count), new Uint16Array(count)];
  const [placeFlags, pose, flags, heldSlot, itemUse] = Array.from({ length: 5 }, () => new Uint8Array(count)) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];
  const row = new EntityRow();
  for (let i = 0; i < count; i++) {
    row.read(cursor);
    entity.push(row.entity);
    type[i] = row.type;
    q[3 * i] = row.x;
    q[3 * i + 1] = row.y;
    q[3 * i + 2] = row.z;
    yaw[i] = row.yaw;
    pitch[i] = row.pitch;
    placeFlags[i] = row.placeFlags;
    pose[i] = row.pose;
    flags[i] = row.flags;
    heldSlot[i] = row.heldSlot;
    itemUse[i] = row.itemUse;
    uuid.push(row.uuidAt < 0 ? null : uuidText(cursor.bytes.subarray(row.uuidAt, row.uuidAt + UUID)));
    profile.push(row.profile < 0 ? null : row.profile);
  }
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
