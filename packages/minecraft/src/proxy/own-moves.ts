import type { Line } from "../capture/capture.ts";
import type { Decoded, Direction } from "./decoder.ts";

/** Of a player's profile, as a server has it: the skin is one. */
type Profile = readonly object[];

/** Names of the packets that a player's own moves are read from. */
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
/** What begins and ends, and what it is in the flags. Versions before 1.21.6 say it so. */
const ACTIONS: Readonly<Record<string, readonly [flag: number, isOn: boolean]>> = {
  start_sneaking: [SNEAKS, true],
  stop_sneaking: [SNEAKS, false],
  start_sprinting: [SPRINTS, true],
  stop_sprinting: [SPRINTS, false],
};
const STANDING_POSE = 0;
const SNEAKING_POSE = 5;
/** What a packet that puts a player elsewhere adds to what is, in the order of its bits. */
const ADDED = ["x", "y", "z", "yaw", "pitch"];

/**
 * One player's own moves, as its client says them: in full precision, which nothing that a server sends to others has.
 * The player comes into the recording with the first place.
 */
export class OwnMoves {
  readonly uuid: string;
  readonly name: string;
  readonly #give: (line: Line) => void;
  readonly #profile: () => Profile;
  #id: number | null = null;
  #at: readonly [x: number, y: number, z: number] | null = null;
  #look: readonly [yaw: number, pitch: number] | null = null;
  #isThere = false;
  /** The server has put the player elsewhere: until the client knows of it, what it says of its place does not count. */
  #unconfirmed: number | null = null;
  #flags = 0;
  /** Flags that the server has given, as burning. */
  #given = 0;
  #pose = STANDING_POSE;

  /** `profile` is asked for when the player comes into the recording. */
  constructor(uuid: string, name: string, profile: () => Profile, give: (line: Line) => void) {
    this.uuid = uuid;
    this.name = name;
    this.#profile = profile;
    this.#give = give;
  }

  /** The server's number for it; null: it is in no world yet. */
  get id(): number | null {
    return this.#id;
  }

  /** Blocks; null: it is nowhere yet. */
  get at(): readonly [x: number, y: number, z: number] | null {
    return this.#at;
  }

  /** Into a world, where it is nowhere yet. */
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
    else if (name === "arm_animation") this.#say("swing", { hand: params.hand === 1 ? 1 : 0 });
    else if (name === "held_item_slot") this.#say("heldSlot", { slot: params.slotId & 0xff });
    else this.#act(String(params.actionId));
  }

  /** The server tells the client of its own flags and pose. */
  shown(flags: number, pose: number): void {
    this.#given = flags & ~(SNEAKS | SPRINTS);
    this.#pose = pose === SNEAKING_POSE ? STANDING_POSE : pose;
    if (this.#isThere) this.#sayState();
  }

  /** The connection is over, or the dimension left. */
  leave(): void {
    if (this.#isThere) this.#say("leave", {});
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
    // what is added to what is not known is waited for
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
    const where = { at: this.#at, ...this.#stance(params) };
    if (this.#isThere) this.#say(how, where);
    else {
      const properties = this.#profile();
      const profile = properties.length === 0 ? {} : { properties };
      this.#say("join", { uuid: this.uuid, name: this.name, ...where, ...profile });
      this.#isThere = true;
      if (this.#flags !== 0 || this.#given !== 0 || this.#pose !== STANDING_POSE) this.#sayState();
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: fields of a packet
  #turn(params: any): void {
    const stance = this.#stance(params);
    if (Object.keys(stance).length > 0) this.#say("move", stance);
  }

  // biome-ignore lint/suspicious/noExplicitAny: fields of a packet; onGround is a flag among others since 1.21.2
  #stance({ yaw, pitch, onGround, flags }: any): Line {
    if (yaw !== undefined) this.#look = [yaw, pitch];
    const ground = onGround ?? flags?.onGround;
    return {
      ...(yaw === undefined ? {} : { look: this.#look, head: yaw }),
      ...(ground === undefined ? {} : { onGround: ground === true || ground === 1 }),
    };
  }

  #act(action: string): void {
    const change = ACTIONS[action];
    if (change === undefined) return;
    const [flag, isOn] = change;
    this.#flags = isOn ? this.#flags | flag : this.#flags & ~flag;
    this.#sayState();
  }

  #sayState(): void {
    const pose = this.#pose === STANDING_POSE && (this.#flags & SNEAKS) !== 0 ? SNEAKING_POSE : this.#pose;
    this.#say("state", { flags: this.#flags | this.#given, pose });
  }

  #say(what: string, told: Line): void {
    this.#give({ [what]: { id: this.#id, ...told } });
  }
}
