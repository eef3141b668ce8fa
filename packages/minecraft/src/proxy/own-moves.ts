import type { Decoded, Direction } from "./decoder.ts";

/** A line of simtape's line protocol, without a tick. */
export type Line = Readonly<Record<string, unknown>>;

/** Names of the packets that a player's own moves are read from. */
export const OWN_PACKETS: Readonly<Record<Direction, readonly string[]>> = {
  toServer: ["position", "position_look", "look", "flying", "arm_animation", "held_item_slot", "entity_action"],
  toClient: ["position"],
};

/** Bits of the flags of an entity. */
const SNEAKS = 0x02;
const SPRINTS = 0x08;
/** What begins and ends, and what it is in the flags. Versions before 1.21.6 say it so. */
const ACTIONS: Readonly<Record<string, readonly [flag: number, isOn: boolean]>> = {
  start_sneaking: [SNEAKS, true],
  stop_sneaking: [SNEAKS, false],
  start_sprinting: [SPRINTS, true],
  stop_sprinting: [SPRINTS, false],
};
const SNEAKING_POSE = 5;

/**
 * One player's own moves, as its client says them: in full precision, which nothing that a server sends to others has.
 * The player comes into the recording with the first place.
 */
export class OwnMoves {
  readonly id: string;
  readonly name: string;
  readonly #give: (line: Line) => void;
  #isThere = false;
  /** The server has put the player elsewhere: what the client says next is no step. */
  #isPut = false;
  #flags = 0;

  constructor(uuid: string, name: string, give: (line: Line) => void) {
    this.id = uuid;
    this.name = name;
    this.#give = give;
  }

  see(direction: Direction, { name, params }: Decoded): void {
    if (direction === "toClient") this.#isPut = true;
    else if (name === "position" || name === "position_look") this.#place(params);
    else if (!this.#isThere) return;
    else if (name === "look" || name === "flying") this.#say("move", stance(params));
    else if (name === "arm_animation") this.#say("swing", { hand: params.hand === 1 ? 1 : 0 });
    else if (name === "held_item_slot") this.#say("heldSlot", { slot: params.slotId & 0xff });
    else this.#act(String(params.actionId));
  }

  /** The connection is over. */
  leave(): void {
    if (this.#isThere) this.#say("leave", {});
    this.#isThere = false;
  }

  // biome-ignore lint/suspicious/noExplicitAny: fields of a packet
  #place(params: any): void {
    const where = { at: [params.x, params.y, params.z], ...stance(params) };
    if (!this.#isThere) this.#say("join", { uuid: this.id, name: this.name, ...where });
    else this.#say(this.#isPut ? "teleport" : "move", where);
    this.#isThere = true;
    this.#isPut = false;
  }

  #act(action: string): void {
    const change = ACTIONS[action];
    if (change === undefined) return;
    const [flag, isOn] = change;
    this.#flags = isOn ? this.#flags | flag : this.#flags & ~flag;
    this.#say("state", { flags: this.#flags, pose: (this.#flags & SNEAKS) === 0 ? 0 : SNEAKING_POSE });
  }

  #say(what: string, told: Line): void {
    this.#give({ [what]: { id: this.id, ...told } });
  }
}

// biome-ignore lint/suspicious/noExplicitAny: fields of a packet; onGround is a flag among others since 1.21.2
function stance({ yaw, pitch, onGround, flags }: any): Line {
  const ground = onGround ?? flags?.onGround;
  return {
    ...(yaw === undefined ? {} : { look: [yaw, pitch], head: yaw }),
    ...(ground === undefined ? {} : { onGround: ground === true || ground === 1 }),
  };
}
