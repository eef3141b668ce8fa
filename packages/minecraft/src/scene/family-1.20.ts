import type { Packet } from "../game/packet.ts";
import { jsonText } from "../game/text.ts";
import { Family1211 } from "./family-1.21.1.ts";
import { GAME_MODE } from "./family.ts";

/** Slots of the hotbar in the player's own window. */
const HOTBAR = 36;

/** 1.20.3 and 1.20.4: items with NBT. */
export class Family120 extends Family1211 {
  override login(entity: number, most: number): Packet[] {
    return [
      ...this.entered(entity, most),
      this.spawnPoint(),
      ["game_state_change", { reason: "level_chunks_load_start", gameMode: 0 }],
    ];
  }

  override hotbar(items: readonly (readonly [item: string, name: string])[]): Packet[] {
    return items.map(([item, name], i) => {
      const display = { Name: { type: "string", value: jsonText({ text: name }) } };
      const nbtData = { type: "compound", name: "", value: { display: { type: "compound", value: display } } };
      return ["set_slot", { windowId: 0, stateId: 0, slot: HOTBAR + i, item: { ...this.item(item), nbtData } }];
    });
  }

  protected entered(entity: number, most: number): Packet[] {
    const login = { ...this.data.raw.loginPacket, entityId: entity, gameMode: GAME_MODE.spectator, maxPlayers: most };
    return [["login", login]];
  }

  protected override item(name: string | undefined): object {
    const itemId = name === undefined ? null : this.itemId(name);
    return itemId === null ? { present: false } : { present: true, itemId, itemCount: 1 };
  }
}
