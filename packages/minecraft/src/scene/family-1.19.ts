import type { Packet } from "../game/packet.ts";
import { jsonText, type Text } from "../game/text.ts";
import type { Property } from "./adapter.ts";
import { Family120 } from "./family-1.20.ts";
import { shortName } from "./family.ts";
import { isPlayer, type Thing } from "./thing.ts";

/** 1.19.4 to 1.20.1: texts are JSON, and players are added by a packet of their own. */
export class Family119 extends Family120 {
  override login(entity: number, most: number): Packet[] {
    return [...this.entered(entity, most), this.spawnPoint()];
  }

  protected override appear(thing: Thing, skin: readonly Property[]): Packet[] {
    if (!isPlayer(thing)) return super.appear(thing, skin);
    return [
      this.listed(this.uuidOf(thing), shortName(thing), skin, thing.gameMode ?? 0, this.guise.isListed),
      ["named_entity_spawn", { ...this.stance(thing), playerUUID: this.uuidOf(thing) }],
    ];
  }

  /** Poses up to the digging of 1.19. */
  protected override get poses(): number {
    return 15;
  }

  protected override text(text: Text): string | object {
    return jsonText(text);
  }
}
