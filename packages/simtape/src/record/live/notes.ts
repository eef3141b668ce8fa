import {
  NBT,
  type NbtCompound,
  type NbtDocument,
  type NbtTag,
  nbtCompound,
  nbtEntry,
  nbtText,
} from "../../codec/nbt.ts";
import { uuidTag } from "../../formats/hcrp/layout/metadata.ts";
import type { Mark } from "./world.ts";

/** Where the wall clock does not go on evenly (HCRP spec §4). */
export interface Session {
  readonly tick: number;
  /** Unix milliseconds. */
  readonly time: number;
  readonly reason: string;
}

/** A recorded player (HCRP spec §4). */
export interface Subject {
  readonly entity: number;
  readonly uuid: string;
  readonly name: string;
  readonly properties?: readonly ProfileProperty[] | undefined;
}

/** A property of a player's profile: the skin is the one called "textures". */
export interface ProfileProperty {
  readonly name: string;
  readonly value: string;
  readonly signature?: string;
}

/** Properties of a profile that are kept. */
const MOST_PROPERTIES = 16;

/** Lists in the metadata are held to this, so that a day's marks leave room (HCRP spec §12: 1 MiB). */
const MOST = 4096;
/** Characters of a text in one of them: events keep all of it. */
const LONGEST = 1024;

/** What a recorder knows of the whole recording, for its metadata. */
export class Notes {
  nextEntity = 1;
  /** Rises with what is noted. */
  revision = 0;
  #marks: NbtTag[] = [];
  #sessions: NbtTag[] = [];
  #subjects: NbtTag[] = [];
  #gaps: { from: number; until: number | null }[] = [];
  #uncounted = 0;
  readonly #dropped = new Map<string, number>();
  #links = new Map<string, string>();

  /** Events that had to go, by channel. */
  get dropped(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#dropped);
  }

  /** Takes over what a recording has that goes on. */
  goOn(metadata: NbtDocument): void {
    const hcrp = nbtEntry(metadata.root, "hcrp");
    if (hcrp?.type !== NBT.compound) return;
    const next = nbtEntry(hcrp, "next_entity_id");
    if (next?.type === NBT.int) this.nextEntity = Math.max(1, next.value);
    this.#marks = itemsOf(hcrp, "marks");
    this.#sessions = itemsOf(hcrp, "sessions");
    this.#subjects = itemsOf(hcrp, "subjects");
  }

  /** A new recording in the place of `previous`, whose world goes on. */
  startOver(previous: string): void {
    this.#marks = [];
    this.#sessions = [];
    this.#gaps = [];
    this.#uncounted = 0;
    this.#dropped.clear();
    this.#links = new Map([["previous", previous]]);
  }

  /** A list has no more room: what comes belongs into another recording. */
  get isFull(): boolean {
    return this.#marks.length >= MOST || this.#sessions.length >= MOST;
  }

  next(id: string): void {
    this.#links.set("next", id);
  }

  mark({ tick, kind, entity, label, severity }: Mark): void {
    this.revision++;
    if (this.#marks.length >= MOST) {
      this.#uncounted++;
      return;
    }
    const tags: Record<string, NbtTag> = { tick: { type: NBT.int, value: tick }, kind: nbtText(kind) };
    if (entity !== null) tags["entity"] = { type: NBT.int, value: entity };
    this.#marks.push(nbtCompound({ ...tags, label: shortened(label), severity: { type: NBT.byte, value: severity } }));
  }

  session({ tick, time, reason }: Session): void {
    this.revision++;
    if (this.#sessions.length >= MOST) return;
    this.#sessions.push(
      nbtCompound({
        tick: { type: NBT.int, value: tick },
        unix_ms: { type: NBT.long, value: BigInt(time) },
        reason: shortened(reason),
      }),
    );
  }

  subject({ entity, uuid, name, properties = [] }: Subject): void {
    this.revision++;
    if (this.#subjects.length >= MOST) return;
    const tags: Record<string, NbtTag> = {
      entity: { type: NBT.int, value: entity },
      uuid: uuidTag(uuid),
      name: shortened(name),
    };
    if (properties.length > 0) tags["properties"] = listOf(properties.slice(0, MOST_PROPERTIES).map(propertyTag));
    this.#subjects.push(nbtCompound(tags));
  }

  drop(channel: string, count: number): void {
    this.revision++;
    this.#dropped.set(channel, (this.#dropped.get(channel) ?? 0) + count);
  }

  /** Ticks in which events are missing; `until` null: it goes on. */
  gap(from: number, until: number | null): void {
    const last = this.#gaps.at(-1);
    if (last !== undefined && last.until === from) last.until = until;
    else if (this.#gaps.length < MOST) this.#gaps.push({ from, until });
  }

  endGap(tick: number): void {
    const last = this.#gaps.at(-1);
    if (last !== undefined && last.until === null) last.until = tick;
  }

  /** Entries of the compound `hcrp` (HCRP spec §4). */
  reserved(): [string, NbtTag][] {
    return [
      ["next_entity_id", { type: NBT.int, value: this.nextEntity }],
      ["sessions", listOf(this.#sessions)],
      ["subjects", listOf(this.#subjects)],
      ["marks", listOf(this.#marks)],
    ];
  }

  /** Entries of our own compound: what is missing, and which recordings stand before and behind. */
  own(): [string, NbtTag][] {
    const own: [string, NbtTag][] = [];
    if (this.#dropped.size > 0) {
      const events = [...this.#dropped].map(([name, count]): [string, NbtTag] => [
        name,
        { type: NBT.long, value: BigInt(count) },
      ]);
      const spans = this.#gaps.map(({ from, until }) =>
        nbtCompound({
          from_tick: { type: NBT.int, value: from },
          ...(until === null ? {} : { until_tick: { type: NBT.int, value: until } as NbtTag }),
        }),
      );
      own.push(["dropped", nbtCompound({ events: nbtCompound(Object.fromEntries(events)), spans: listOf(spans) })]);
    }
    if (this.#uncounted > 0) own.push(["marks_left_out", { type: NBT.int, value: this.#uncounted }]);
    for (const [name, id] of this.#links) own.push([name, nbtText(id)]);
    return own;
  }
}

function shortened(text: string): NbtTag {
  return nbtText(text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);
}

function listOf(items: readonly NbtTag[]): NbtTag {
  return { type: NBT.list, itemType: NBT.compound, items: [...items] };
}

function itemsOf(parent: NbtCompound, name: string): NbtTag[] {
  const list = nbtEntry(parent, name);
  return list?.type === NBT.list && list.itemType === NBT.compound ? [...list.items] : [];
}

function propertyTag({ name, value, signature }: ProfileProperty): NbtTag {
  const tags = { name: nbtText(name), value: nbtText(value) };
  return nbtCompound(signature === undefined ? tags : { ...tags, signature: nbtText(signature) });
}
