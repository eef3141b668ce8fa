/**
 * simtape/making: what the simulations of simtape-demo write recordings with, byte by byte. It is for that package of the
 * same release, and changes without notice: what is published has no types of it.
 */
export { ByteBuilder } from "./bytes/builder.ts";
export { crc32 } from "./bytes/crc32.ts";
export {
  DEFLATED,
  type DirectoryEntry,
  writeDirectoryEnd,
  writeDirectoryEntry,
  writeLocalHeader,
} from "./bytes/zip.ts";
export { deflateRaw, deflateZlib } from "./codec/deflate.ts";
export { NBT, type NbtCompound, nbtCompound, type NbtTag, nbtText, writeNbt } from "./codec/nbt.ts";
export { propertyNode } from "./codec/properties.ts";
export { PdbFile } from "./export/molecules/pdb-file.ts";
export {
  type Attribute,
  type Dialect,
  type Vector,
  writeAnimVehicle,
  writeAnimWalker,
  writeBox,
  writeCollision,
  writeEventAdd,
  writeEventDel,
  writeEventParent,
  writeKinematics,
  writePosition,
  writeSceneLight,
  writeState,
  writeTrafficLightTime,
  writeVehicleLight,
  writeVehicleWheels,
  writeWalkerBones,
} from "./formats/carla/layout/layout.ts";
export { writePhysicsControl } from "./formats/carla/layout/physics.ts";
export { FrameWriter } from "./formats/carla/write/frame-writer.ts";
export { releaseOf } from "./formats/carla/write/releases.ts";
export { writing as carlaWriting } from "./formats/carla/writing.ts";
export { flightgear } from "./formats/flightgear/format.ts";
export { type ExtraProperty, writeExtraProperty } from "./formats/flightgear/layout/extra.ts";
export { readSignalList, type SignalList, writeSignalList, writeSignals } from "./formats/flightgear/layout/signals.ts";
export { AXES as FLIGHTGEAR_AXES } from "./formats/flightgear/meaning/state.ts";
export { DEFAULT_SIGNALS } from "./formats/flightgear/write/default-signals.ts";
export { type Motion, motionOf, motionValues, positionPacket } from "./formats/flightgear/write/encode-signals.ts";
export { createWriter as createHcrpWriter } from "./formats/hcrp/write/create.ts";
export { mcap } from "./formats/mcap/format.ts";
export { mira } from "./formats/mira/format.ts";
export { nanover } from "./formats/nanover/format.ts";
export { writeMessage } from "./formats/nanover/layout/messagepack.ts";
export { writeZipState } from "./formats/nanover/write/transcode.ts";
export { MemoryFiles, type SinkBundle } from "./io/sink/sink.ts";
export { transformOf } from "./model/axes/axes-transform.ts";
export type { Origin } from "./model/axes/geodesy.ts";
export type { Place } from "./model/poses/place.ts";
export type { Time } from "./model/values/time.ts";
export { metresPer } from "./model/values/units.ts";
export type { ChannelInfo, Value } from "./model/values/value.ts";
export type { Writer } from "./model/writer.ts";
export type { Stance } from "./record/live/body.ts";
export { Notes } from "./record/live/notes.ts";
export { eventsOf as eventsOfProfile } from "./record/live/profile.ts";
export { WorldSink } from "./record/live/world-sink.ts";
export { WorldSnapshots } from "./record/live/world-snapshots.ts";
export { type Point, World } from "./record/live/world.ts";
