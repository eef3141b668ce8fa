import type { LiveEventOf, LiveEvents } from "simtape/record";
import type { Decoded, Direction } from "./decoder.ts";

/** A property of a player's profile, as the server sends it, such as the skin. */
type Profile = Required<LiveEvents["join"]>["properties"];

/** Packets that a client sends about its own player. */
export type OwnEvent = LiveEventOf<"join" | "leave" | "move" | "teleport" | "state" | "swing" | "heldSlot">;

type Stance = Pick<LiveEvents["move"], "look" | "head" | "onGround">;

/** Names of the packets that give a player's own moves. */
export const OWN_PACKETS: Readonly<Record<Direction, readonly string[]>> = {
  toServer: [
    ...["position", "position_look", "look", "flying", "teleport_confirm"],
    ...["arm_animation", "held_item_slot", "entity_action"],
  ],
  toClient: ["position"],
};

/** Bits of the flags of an entity. */
const SNEAKS = 0x02;
const SPRINTS = 0x08;
/** Actions that begin and end a state, and their flags. Versions before 1.21.6 send these. */
const ACTIONS: Readonly<Record<string, readonly [flag: number, isOn: boolean]>> = {
  start_sneaking: [SNEAKS, true],
  stop_sneaking: [SNEAKS, false],
  start_sprinting: [SPRINTS, true],
  stop_sprinting: [SPRINTS, false],
};
const STANDING_POSE = 0;
const SNEAKING_POSE = 5;
/** What a packet that moves a player elsewhere adds to the present values, in the order of its bits. */
const ADDED = ["x", "y", "z", "yaw", "pitch"];

/**
 * The moves of one player, as its own client sends them: in full precision, which the packets for other clients lack.
 * The player joins the recording with the first position.
 */
export class OwnMoves {
  readonly uuid: string;
  readonly name: string;
  readonly #give: (event: OwnEvent) => void;
  readonly #profile: () => Profile;
  #id: number | null = null;
  #at: readonly [x: number, y: number, z: number] | null = null;
  #look: readonly [yaw: number, pitch: number] | null = null;
  #isThere = false;
  /** The server has moved the player elsewhere: until the client confirms it, its positions are ignored. */
  #unconfirmed: number | null = null;
  #flags = 0;
  /** Flags that the server has set, such as burning. */
  #given = 0;
  #pose = STANDING_POSE;

  /** `profile` is read when the player joins the recording. */
  constructor(uuid: string, name: string, profile: () => Profile, give: (event: OwnEvent) => void) {
    this.uuid = uuid;
    this.name = name;
    this.#profile = profile;
    this.#give = give;
  }

  /** The server's number for the player; null: it is in no world yet. */
  get id(): number | null {
    return this.#id;
  }

  /** Blocks; null: it has no position yet. */
  get at(): readonly [x: number, y: number, z: number] | null {
    return this.#at;
  }

  /** The player enters a world, where it has no position yet. */
  enter(id: number): void {
    this.#id = id;
    this.#at = null;
    this.#flags = 0;
    this.#given = 0;
    this.#pose = STANDING_POSE;
    this.#unconfirmed = null;
  }

  see(direction: Direction, { name, params }: Decoded): void {
    if (this.#id === null) return;
    if (direction === "toClient") this.#put(params);
    else if (name === "teleport_confirm") {
      if (params.teleportId === this.#unconfirmed) this.#unconfirmed = null;
    } else if (name === "position" || name === "position_look") this.#step(params);
    else if (!this.#isThere) return;
    else if (name === "look" || name === "flying") this.#turn(params);
    else if (name === "arm_animation")
      this.#give({ kind: "swing", value: { id: this.#id, hand: params.hand === 1 ? 1 : 0 } });
    else if (name === "held_item_slot")
      this.#give({ kind: "heldSlot", value: { id: this.#id, slot: params.slotId & 0xff } });
    else this.#act(String(params.actionId));
  }

  /** The server sends the client its own flags and pose. */
  shown(flags: number, pose: number): void {
    this.#given = flags & ~(SNEAKS | SPRINTS);
    this.#pose = pose === SNEAKING_POSE ? STANDING_POSE : pose;
    if (this.#isThere) this.#giveState();
  }

  /** The connection has ended, or the player has left the dimension. */
  leave(): void {
    if (this.#isThere) this.#give({ kind: "leave", value: { id: this.#id! } });
    this.#isThere = false;
  }

  // biome-ignore lint/suspicious/noExplicitAny: fields of a packet
  #step(params: any): void {
    if (this.#unconfirmed !== null) return;
    this.#at = [params.x, params.y, params.z];
    this.#place("move", params);
  }

  // biome-ignore lint/suspicious/noExplicitAny: fields of a packet
  #put({ x, y, z, yaw, pitch, flags, teleportId }: any): void {
    this.#unconfirmed = teleportId ?? null;
    const isAdded = ADDED.map((of, bit) =>
      typeof flags === "number" ? (flags & (1 << bit)) !== 0 : flags?.[of] === true,
    );
    const isKnown = this.#at !== null && this.#look !== null;
    // relative values wait until the absolute ones are known
    if (!isKnown && isAdded.includes(true)) {
      this.#unconfirmed = null;
      return;
    }
    const before = [...(this.#at ?? [0, 0, 0]), ...(this.#look ?? [0, 0])];
    const [px, py, pz, newYaw, newPitch] = [x, y, z, yaw, pitch].map((to: number, i) =>
      isAdded[i] === true ? before[i]! + to : to,
    ) as [number, number, number, number, number];
    this.#at = [px, py, pz];
    this.#place("teleport", { yaw: newYaw, pitch: newPitch });
  }

  // biome-ignore lint/suspicious/noExplicitAny: fields of a packet
  #place(how: "move" | "teleport", params: any): void {
    const where = { id: this.#id!, at: this.#at!, ...this.#stance(params) };
    if (this.#isThere) this.#give({ kind: how, value: where });
    else {
      const properties = this.#profile();
      const profile = properties.length === 0 ? {} : { properties };
      this.#give({ kind: "join", value: { ...where, uuid: this.uuid, name: this.name, ...profile } });
      this.#isThere = true;
      if (this.#flags !== 0 || this.#given !== 0 || this.#pose !== STANDING_POSE) this.#giveState();
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: fields of a packet
  #turn(params: any): void {
    const stance = this.#stance(params);
    if (Object.keys(stance).length > 0) this.#give({ kind: "move", value: { id: this.#id!, ...stance } });
  }

  // biome-ignore lint/suspicious/noExplicitAny: fields of a packet; onGround is a flag among others since 1.21.2
  #stance({ yaw, pitch, onGround, flags }: any): Stance {
    if (yaw !== undefined) this.#look = [yaw, pitch];
    const ground = onGround ?? flags?.onGround;
    return {
      ...(yaw === undefined ? {} : { look: this.#look!, head: yaw }),
      ...(ground === undefined ? {} : { onGround: ground === true || ground === 1 }),
    };
  }

  #act(action: string): void {
    const change = ACTIONS[action];
    if (change === undefined) return;
    const [flag, isOn] = change;
    this.#flags = isOn ? this.#flags | flag : this.#flags & ~flag;
    this.#giveState();
  }

  #giveState(): void {
    const pose = this.#pose === STANDING_POSE && (this.#flags & SNEAKS) !== 0 ? SNEAKING_POSE : this.#pose;
    this.#give({ kind: "state", value: { id: this.#id!, flags: this.#flags | this.#given, pose } });
  }
}
