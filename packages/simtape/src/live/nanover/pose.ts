import { ByteBuilder } from "../../bytes/builder.ts";
import { ByteCursor } from "../../bytes/cursor.ts";
import { decodeMessagePack, MessagePackFloat, skipMessagePack, writeMessagePack } from "../../codec/messagepack.ts";
import { type Entry, partsOf, valueIn } from "../../formats/nanover/write/entries.ts";
import { entryOf } from "./said.ts";

/** Pose of the simulation box without one (NanoVer spec §3.4): position, quaternion x, y, z, w, scale. */
export const IDENTITY: readonly number[] = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1];
/** The pose's key, which a recording may leave out and a server always has (NanoVer semantics §2). */
export const SCENE = "scene";
/** The same pose under the key of newer clients, its scale along x negated (NanoVer spec §3.4). */
export const TRANSFORM = "transform.simulation";

/** A pose of the box: ten float64 (NanoVer semantics §5.4). */
export function sceneEntry(pose: readonly number[]): Entry {
  return entryOf(
    SCENE,
    pose.map((number) => new MessagePackFloat(number)),
  );
}

/**
 * A change of the shared state with both keys of the pose when it has one of them: clients old and new have the same
 * box. The older key decides. A value that is no pose stays alone.
 */
export function withBothPoses(entries: readonly Entry[]): readonly Entry[] {
  const scene = entries.findLast(({ key }) => key === SCENE);
  const transform = entries.findLast(({ key }) => key === TRANSFORM);
  const from = scene ?? transform;
  if (from === undefined) return entries;
  const made = scene === undefined ? sceneOf(from) : transformOf(from);
  return made === null ? entries : [...entries.filter(({ key }) => key !== made.key), made];
}

function transformOf(scene: Entry): Entry | null {
  const pose = mirrored(valueIn(scene.bytes));
  if (pose === null) return null;
  const builder = new ByteBuilder(pose.length + 64);
  writeMessagePack(builder, TRANSFORM);
  builder.u8(0x82);
  writeMessagePack(builder, "transform");
  builder.raw(pose);
  writeMessagePack(builder, "parent");
  writeMessagePack(builder, "root");
  return { key: TRANSFORM, bytes: builder.take() };
}

function sceneOf(transform: Entry): Entry | null {
  const value = valueIn(transform.bytes);
  const isMap = value[0]! >= 0x80 && value[0]! <= 0x8f;
  const part = isMap ? partsOf(value).find(({ key }) => key === "transform") : undefined;
  const pose = part === undefined ? null : mirrored(valueIn(part.bytes));
  if (pose === null) return null;
  const builder = new ByteBuilder(pose.length + 16);
  writeMessagePack(builder, SCENE);
  return { key: SCENE, bytes: builder.raw(pose).take() };
}

/** A list of ten numbers, all as they are encoded but the third from its end, which is negated; null: it is none. */
function mirrored(list: Uint8Array): Uint8Array | null {
  if (list[0] !== 0x90 + IDENTITY.length) return null;
  const builder = new ByteBuilder(list.length + 8);
  const cursor = new ByteCursor(list);
  builder.u8(cursor.u8());
  for (let i = 0; i < IDENTITY.length; i++) {
    const start = cursor.position;
    skipMessagePack(cursor);
    const bytes = list.subarray(start, cursor.position);
    const number = decodeMessagePack(bytes);
    if (typeof number !== "number") return null;
    if (i !== IDENTITY.length - 3) builder.raw(bytes);
    else writeMessagePack(builder, bytes[0] === 0xca || bytes[0] === 0xcb ? new MessagePackFloat(-number) : 0 - number);
  }
  return builder.take();
}
