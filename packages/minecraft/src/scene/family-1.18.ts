import type { Packet } from "../game/packet.ts";
import { Family116 } from "./family-1.16.ts";
import type { Thing } from "./thing.ts";

/** Kinds that are no bodies. */
const LIFELESS: ReadonlySet<string | undefined> = new Set([undefined, "other", "projectile"]);

/** 1.18.2: the packets of 1.16 with chunks of now. */
export class Family118 extends Family116 {
  override emptyChunk(x: number, z: number): Packet[] {
    return [this.emptySections(x, z)];
  }

  protected override get layersKey(): number {
    return 17;
  }

  /** What came later is standing. */
  protected override pose({ pose }: Thing): number {
    return pose <= 7 ? pose : 0;
  }

  protected override isLiving(kind: number): boolean {
    const entity = this.data.raw.entities[kind];
    return entity?.name === "armor_stand" || !LIFELESS.has(entity?.type);
  }
}
