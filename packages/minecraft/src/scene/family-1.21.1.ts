import type { Packet } from "../game/packet.ts";
import type { Place } from "./adapter.ts";
import { Family121 } from "./family-1.21.ts";
import { placeOf } from "./family.ts";
import type { Thing } from "./thing.ts";

/** 1.20.5 to 1.21.1: positions without motion. */
export class Family1211 extends Family121 {
  override put({ x, y, z, yaw, pitch }: Place): Packet[] {
    return [["position", { x, y, z, yaw, pitch, flags: 0, teleportId: 1 }]];
  }

  protected override jump(thing: Thing): Packet {
    return ["entity_teleport", { ...this.stance(thing), ...placeOf(thing), onGround: thing.onGround }];
  }
}
