import {
  bits,
  bool,
  f32be,
  f64be,
  i16be,
  noted,
  oneOf,
  type Part,
  part,
  struct,
  u8,
} from "../../../bytes/field-parts.ts";
import { readVarint } from "../../../bytes/varint.ts";
import { nbtField } from "../../../codec/nbt-fields.ts";
import { counted, grid, lowVector, turn, varInt, xyz } from "./values.ts";
import { readString } from "../layout/framing.ts";
import { type ProductionName, type ProductionVersion, RESET_REASONS, RUN_RESULTS } from "../layout/production.ts";

const text: Part<string> = part(readString);
const milliseconds: Part<number> = noted(
  part((cursor) => readVarint(cursor)),
  "ms",
);
const blocks: Part = xyz(noted(f64be, "blocks"));
const degrees: Part<number> = noted(f32be, "°");
const angle: Part<number> = turn(i16be);
const hand: Part<number> = oneOf(varInt, ["main hand", "off hand"]);
const SHARED_BITS = ["fire", "sneak", "riptide", "sprint", "swim", "invisible", "glow", "elytra"];

/** 26 bits x, 26 bits z, 12 bits y, each signed. */
const blockPosition: Part<readonly number[]> = noted(
  part((cursor) => {
    const high = cursor.i32be();
    const low = cursor.u32be();
    return [high >> 6, (low << 20) >> 20, (((high & 0x3f) << 26) | ((low >>> 12) << 6)) >> 6];
  }),
  "x y z",
);

/** Bodies of the production dialect's events by kind (spec §14); members are called as in decoded values. */
export function productionParts(version: ProductionVersion): Readonly<Record<ProductionName, Part>> {
  const name = version === 4 ? noted(varInt, "protocol id") : text;
  return {
    "delta-move": struct({ entity: varInt, delta: grid, yaw: angle, pitch: angle, velocity: lowVector }),
    "absolute-move": struct({ entity: varInt, position: blocks, yaw: degrees, pitch: degrees, velocity: lowVector }),
    state: struct({ entity: varInt, pose: varInt, flags: bits(u8, SHARED_BITS) }),
    "hand-animation": struct({ entity: varInt, hand }),
    "item-use": struct({ entity: varInt, using: bool, hand }),
    "set-items": struct({ entity: varInt, items: counted(struct({ slot: varInt, item: nbtField })) }),
    "held-slot": struct({ entity: varInt, slot: varInt }),
    "set-block": struct({ position: blockPosition, state: name }),
    spawn: struct({ entity: varInt, type: name, position: blocks, yaw: degrees, pitch: degrees }),
    destroy: struct({ entity: varInt }),
    "run-start": () => undefined,
    "checkpoint-reached": struct({ checkpoint: text, milliseconds }),
    "checkpoint-reset": struct({ reason: oneOf(varInt, RESET_REASONS), milliseconds }),
    "run-end": struct({ result: oneOf(varInt, RUN_RESULTS), milliseconds }),
    "clear-ghost-blocks": () => undefined,
  };
}
