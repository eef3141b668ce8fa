import type { Packet } from "../game/packet.ts";
import { Family116 } from "./family-1.16.ts";
import type { Thing } from "./thing.ts";

/** 1.18.2: the packets of 1.16 with chunks in the present form. */
export class Family118 extends Family116 {
  override emptyChunk(x: number, z: number): Packet[] {
    return [this.emptySections(x, z)];
  }

  protected override get layersKey(): number {
    return 17;
  }

  /** Poses that were added later become standing. */
  protected override pose({ pose }: Thing): number {
    return pose <= 7 ? pose : 0;
  }
}
