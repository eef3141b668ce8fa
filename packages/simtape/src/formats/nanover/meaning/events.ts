import { KEYFRAME, type MessageBatch } from "../../../model/messages/batch.ts";
import { calledBy, eventOf } from "../../../model/query/events.ts";
import type { EventReader, Participant, RecordingEvent } from "../../../model/query/event.ts";
import { textOf } from "../../../model/query/value-text.ts";
import type { Recorded } from "../../../model/traits.ts";
import type { Time } from "../../../model/values/time.ts";
import type { Channel, Value } from "../../../model/values/value.ts";
import { FRAME, FRAME_INDEX, type Frame, SIMULATION_NAME, STATE, type StateUpdate } from "../layout/layout.ts";
import { type Container, payloadsOf } from "./schema.ts";
import { SHARED } from "./state.ts";
import { hasKey, type KeyTest } from "./state-keys.ts";

const AVATAR = "avatar.";
const INTERACTION = "interaction.";
const SELECTION = "selection.";
/** Key of the shared state with the name of the simulation that is loaded (semantics §2). */
const LOADED = "simulation.name";
/** Channel of commands and their answers (semantics §5.3). */
const COMMAND = "command";
const LONGEST = 120;

/**
 * Reads events from NanoVer's frames and of its shared state: users, what they pull, what is loaded. An update that only
 * moves what is known is passed over.
 */
export class NanoverEvents implements EventReader {
  readonly channels: ReadonlyMap<number, readonly string[]>;
  readonly #recording: Recorded;
  /** Users, and who pulls, by the keys of the shared state. */
  readonly #users = new Map<string, Participant>();
  readonly #grips = new Map<string, readonly Participant[]>();
  readonly #isNews: KeyTest = (key, isRemoved) => this.#isNew(key, isRemoved);
  #loaded: Value = null;

  constructor(recording: Recorded) {
    this.#recording = recording;
    const found: [number, readonly string[]][] = [
      [FRAME, ["reset"]],
      [STATE, ["join", "leave", "grab", "release", "selection", "simulation"]],
    ];
    const command = recording.channels.findIndex(({ name }) => name === COMMAND);
    if (command > STATE) found.push([command, ["command"]]);
    this.channels = new Map(found);
  }

  async begin(start: Time, signal: AbortSignal | undefined): Promise<void> {
    const { values } = await this.#recording.state(Math.ceil(start) - 1, { signal });
    for (const [path, value] of values) {
      if (!path.startsWith(SHARED)) continue;
      const key = path.slice(SHARED.length);
      if (key.startsWith(AVATAR)) this.#users.set(key, userOf(key, value));
      else if (key.startsWith(INTERACTION)) this.#grips.set(key, this.#gripOf(key, value));
      else if (key === LOADED) this.#loaded = value;
    }
  }

  read(batch: MessageBatch, i: number, into: RecordingEvent[]): void {
    const id = batch.channel[i]!;
    if (id === FRAME && (batch.flags[i]! & KEYFRAME) === 0) return;
    const channel = this.#recording.channels[id]!;
    if (id === FRAME) readFrameEvent(channel, batch, i, into);
    else if (id === STATE) this.#readState(channel, batch, i, into);
    else {
      const value = channel.schema.decode(batch.payload(i), batch.context);
      into.push(eventOf(channel, batch, i, { kind: "command", text: textOf(value, LONGEST), value }));
    }
  }

  #readState(channel: Channel, batch: MessageBatch, i: number, into: RecordingEvent[]): void {
    const payload = batch.payload(i);
    const container = payloadsOf(batch.context)?.container ?? (this.#recording.info.version as Container);
    if (!hasKey(payload, container, this.#isNews)) return;
    const { updates, removals } = channel.schema.decode(payload, batch.context) as unknown as StateUpdate;
    for (const key in updates) {
      const event = this.#isNew(key, false) ? this.#updated(key, updates[key]!) : null;
      if (event !== null) into.push(eventOf(channel, batch, i, event));
    }
    for (const key of removals) {
      if (this.#isNew(key, true)) into.push(eventOf(channel, batch, i, this.#removed(key)));
    }
  }

  /** An interaction without an owner may get one later. */
  #isNew(key: string, isRemoved: boolean): boolean {
    if (key.startsWith(AVATAR)) return this.#users.has(key) === isRemoved;
    if (key.startsWith(INTERACTION)) {
      const grip = this.#grips.get(key);
      return isRemoved ? grip !== undefined : grip === undefined || grip.length === 1;
    }
    return key.startsWith(SELECTION) || (key === LOADED && !isRemoved);
  }

  #updated(key: string, value: Value): (Pick<RecordingEvent, "kind" | "text"> & Partial<RecordingEvent>) | null {
    if (key.startsWith(AVATAR)) {
      const user = userOf(key, value);
      this.#users.set(key, user);
      return { kind: "join", text: `${calledBy(user)} joins`, who: [user], value };
    }
    if (key.startsWith(INTERACTION)) {
      const isKnown = this.#grips.has(key);
      const who = this.#gripOf(key, value);
      this.#grips.set(key, who);
      if (isKnown) return null;
      const particles = memberOf(value, "particles");
      const count = isList(particles) ? particles.length : 0;
      const what =
        count === 1 ? `particle ${textOf((particles as readonly Value[])[0]!, LONGEST)}` : `${count} particles`;
      return { kind: "grab", text: `${holderOf(who)} pulls ${what}`, who, value };
    }
    if (key === LOADED) {
      if (value === this.#loaded) return null;
      this.#loaded = value;
      return { kind: "simulation", text: textOf(value, LONGEST), value };
    }
    const name = memberOf(value, "name");
    const text = typeof name === "string" && name !== "" ? name : key.slice(SELECTION.length);
    return { kind: "selection", text, value };
  }

  #removed(key: string): Pick<RecordingEvent, "kind" | "text"> & Partial<RecordingEvent> {
    if (key.startsWith(AVATAR)) {
      const user = this.#users.get(key)!;
      this.#users.delete(key);
      return { kind: "leave", text: `${calledBy(user)} leaves`, who: [user] };
    }
    if (key.startsWith(INTERACTION)) {
      const who = this.#grips.get(key)!;
      this.#grips.delete(key);
      return { kind: "release", text: `${holderOf(who)} lets go`, who };
    }
    return { kind: "selection", text: `${key.slice(SELECTION.length)} is removed` };
  }

  /** The user who owns the interaction, when it names one, and the interaction. */
  #gripOf(key: string, value: Value): readonly Participant[] {
    const grip: Participant = { set: "interactions", id: key.slice(INTERACTION.length), label: "" };
    const owner = memberOf(value, "owner.id");
    if (typeof owner !== "string" || owner === "") return [grip];
    return [this.#users.get(AVATAR + owner) ?? { set: null, id: owner, label: "" }, grip];
  }
}

/** A simulation starts with the frame of index 0; the first frame of a recording may be any (semantics §2). */
function readFrameEvent(channel: Channel, batch: MessageBatch, i: number, into: RecordingEvent[]): void {
  const frame = channel.schema.decode(batch.payload(i), batch.context) as Frame;
  if (frame[FRAME_INDEX] !== 0) return;
  const name = frame[SIMULATION_NAME];
  const text = typeof name === "string" && name !== "" ? `${name} restarts` : "the simulation restarts";
  into.push(eventOf(channel, batch, i, { kind: "reset", text }));
}

function userOf(key: string, value: Value): Participant {
  const name = memberOf(value, "name");
  return { set: null, id: key.slice(AVATAR.length), label: typeof name === "string" ? name : "" };
}

function holderOf([first]: readonly Participant[]): string {
  return first === undefined || first.set !== null ? "a user" : calledBy(first);
}

function memberOf(value: Value, name: string): Value {
  if (typeof value !== "object" || value === null || Array.isArray(value) || ArrayBuffer.isView(value)) return null;
  return (value as { readonly [key: string]: Value })[name] ?? null;
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && "length" in value);
}
