import { ByteCursor } from "../../../bytes/cursor.ts";
import type { MessageBatch } from "../../../model/messages/batch.ts";
import { calledBy, eventOf } from "../../../model/query/events.ts";
import type { EventReader, Participant, RecordingEvent } from "../../../model/query/event.ts";
import { textOf } from "../../../model/query/value-text.ts";
import type { Recorded } from "../../../model/traits.ts";
import type { Time } from "../../../model/values/time.ts";
import type { Value } from "../../../model/values/value.ts";
import type { ChunkContext, Palettes } from "../chunk/context.ts";
import { PALETTE, readEntities, readPalettes, readSections, SECTION } from "../layout/chunk.ts";
import {
  readEffect,
  readHurt,
  readJoin,
  readLeave,
  readMount,
  readPlaceEvent,
  readRemove,
  readSpawn,
  readView,
} from "../layout/entity-events.ts";
import { EVENT, FIRST_HOST } from "../layout/events.ts";
import { readVarInt, TICK } from "../layout/framing.ts";
import type { Subject } from "../layout/metadata.ts";
import { PLACE_TELEPORT } from "../layout/motion.ts";
import { MIRROR_PREFIX } from "../layout/own.ts";
import { MARK_KINDS, readChat, readMark, readPaletteAdd, readWorld } from "../layout/world-events.ts";
import { listedMarks, MARK_EVENTS, markEvent } from "./marks.ts";
import { People } from "./people.ts";
import { passOver } from "./pass-over.ts";

/** Kinds of events that name players and entities. */
const ABOUT_PEOPLE: readonly string[] = [
  ...["spawn", "removal", "join", "leave", "chat", "hurt", "death", "teleport", "mount", "dismount"],
  ...["effect", "game-mode", "camera", ...MARK_EVENTS],
];

/** The kinds of events that core events are read for; those of hosts are events under their own names. */
const KINDS: Readonly<Partial<Record<number, readonly string[]>>> = {
  [EVENT.place]: ["teleport"],
  [EVENT.spawn]: ABOUT_PEOPLE,
  [EVENT.remove]: ABOUT_PEOPLE,
  [EVENT.paletteAdd]: ["dimension"],
  [EVENT.join]: ABOUT_PEOPLE,
  [EVENT.leave]: ABOUT_PEOPLE,
  [EVENT.chat]: ["chat"],
  [EVENT.effect]: ["effect"],
  [EVENT.vitals]: ["death"],
  [EVENT.world]: ["weather"],
  [EVENT.view]: ["game-mode", "camera"],
  [EVENT.mount]: ["mount", "dismount"],
  [EVENT.hurt]: ["hurt"],
  [EVENT.clearBlocks]: ["clear-blocks"],
  [EVENT.mark]: MARK_EVENTS,
};

/** As the game numbers them. */
const GAME_MODES = ["survival", "creative", "adventure", "spectator"];
const WEATHERS = ["clear", "rain", "thunder"];
const LONGEST = 160;

/** What was recorded of a player; null: nothing. */
interface Known {
  health: number | null;
  gameMode: number | null;
  camera: number | null;
  /** On which vehicle. */
  vehicle: number | null;
  /** Until when each lasts, by name. */
  readonly effects: Map<string, Time>;
}

/**
 * Reads events from HCRP version 1 (events §2). A snapshot replaces what is known. Behind it, in the same tick, writers
 * repeat what it has no room for: there, only what was different before is an event. What a recording begins with has not
 * happened then.
 */
export class WorldEvents implements EventReader {
  readonly channels: ReadonlyMap<number, readonly string[]>;
  readonly listed: readonly RecordingEvent[];
  readonly #recording: Recorded;
  readonly #first: Time;
  readonly #snapshot: number;
  readonly #people: People;
  #known = new Map<number, Known>();
  /** The same before the last snapshot, kept up to date in its tick, and when that is. */
  #before = new Map<number, Known>();
  #snapshotAt: Time = Number.NaN;
  #weather: number | null = null;
  #dimension: Value = null;
  // the message that is looked at, and where its events go
  #batch: MessageBatch | null = null;
  #row = 0;
  #into: RecordingEvent[] = [];

  /** The recording begins at `first`. */
  constructor(recording: Recorded, subjects: readonly Subject[], first: Time) {
    this.#recording = recording;
    this.#first = first;
    this.#people = new People(subjects);
    this.#snapshot = recording.channels.findIndex(({ name }) => name === "snapshot");
    const channels = new Map<number, readonly string[]>();
    for (const { id, name, metadata } of recording.channels) {
      const isHost = Number(metadata["type"]) >= FIRST_HOST && !name.startsWith(MIRROR_PREFIX);
      const kinds = id === this.#snapshot ? [...ABOUT_PEOPLE, "weather", "dimension"] : isHost ? [name] : KINDS[id];
      if (kinds !== undefined) channels.set(id, kinds);
    }
    this.channels = channels;
    this.listed = listedMarks(recording.info, this.#people.who);
  }

  begin(start: Time, signal: AbortSignal | undefined): Promise<void> {
    return passOver(this, this.#recording, start, signal);
  }

  read(batch: MessageBatch, i: number, into: RecordingEvent[]): void {
    const id = batch.channel[i]!;
    this.#batch = batch;
    this.#row = i;
    this.#into = into;
    if (id === this.#snapshot) this.#learn(batch, i);
    else if (id > EVENT.mark) this.#put(this.#recording.channels[id]!.name, textOf(this.#value(), LONGEST));
    else {
      const { palettes } = batch.context as ChunkContext;
      this.#readCore(id, new ByteCursor(batch.bytes, batch.start[i]!, batch.end[i]!), batch.time[i]!, palettes);
    }
  }

  #put(kind: string, text: string, who: readonly Participant[] = []): void {
    const channel = this.#recording.channels[this.#batch!.channel[this.#row]!]!;
    this.#into.push(eventOf(channel, this.#batch!, this.#row, { kind, text, who, value: this.#value() }));
  }

  #value(): Value {
    const { schema } = this.#recording.channels[this.#batch!.channel[this.#row]!]!;
    return schema.decode(this.#batch!.payload(this.#row), this.#batch!.context);
  }

  #readCore(id: number, cursor: ByteCursor, time: Time, palettes: Palettes): void {
    const people = this.#people;
    const isFirst = time === this.#first;
    switch (id) {
      case EVENT.place: {
        if ((cursor.bytes[cursor.end - 1]! & PLACE_TELEPORT) === 0) return;
        const who = people.who(readPlaceEvent(cursor).entity);
        this.#put("teleport", `${calledBy(who)} teleports`, [who]);
        return;
      }
      case EVENT.spawn: {
        const { entity, type, profile } = readSpawn(cursor);
        this.#known.delete(entity);
        const who = people.come(entity, type, profile, palettes);
        this.#put("spawn", `${calledBy(who)} ${isFirst ? "is present" : "spawns"}`, [who]);
        return;
      }
      case EVENT.remove: {
        for (const entity of readRemove(cursor).entities) {
          const who = people.who(entity);
          this.#forget(entity);
          this.#put("removal", `${calledBy(who)} is removed`, [who]);
        }
        return;
      }
      case EVENT.join: {
        const { entity, profile } = readJoin(cursor);
        const who = people.come(entity, null, profile, palettes);
        this.#put("join", `${calledBy(who)} joins`, [who]);
        return;
      }
      case EVENT.leave: {
        const who = people.who(readLeave(cursor).entity);
        this.#put("leave", `${calledBy(who)} leaves`, [who]);
        return;
      }
      case EVENT.chat: {
        const { sender, text } = readChat(cursor);
        const line = textOf(palettes.value(PALETTE.text, text), LONGEST);
        const who = sender === null ? null : people.who(sender);
        if (who === null) this.#put("chat", line);
        else this.#put("chat", `${calledBy(who)}: ${line}`, [who]);
        return;
      }
      case EVENT.hurt: {
        const { entity, attacker } = readHurt(cursor);
        const who = people.who(entity);
        const by = attacker === null ? null : people.who(attacker);
        if (by === null) this.#put("hurt", `${calledBy(who)} is hurt`, [who]);
        else this.#put("hurt", `${calledBy(who)} is hurt by ${calledBy(by)}`, [who, by]);
        return;
      }
      case EVENT.vitals: {
        const entity = readVarInt(cursor);
        const health = cursor.u8();
        const before = this.#was(entity, time)?.health ?? null;
        for (const known of this.#of(entity, time)) known.health = health;
        const isNews = before === null ? !isFirst && time !== this.#snapshotAt : before > 0;
        if (health > 0 || !isNews) return;
        const who = people.who(entity);
        this.#put("death", `${calledBy(who)} dies`, [who]);
        return;
      }
      case EVENT.view:
        this.#readView(cursor, time);
        return;
      case EVENT.mount:
        this.#readMount(cursor, time);
        return;
      case EVENT.effect: {
        const { entity, effect, ticks } = readEffect(cursor);
        const name = palettes.name(PALETTE.text, effect) ?? "";
        const wasOn = (this.#was(entity, time)?.effects.get(name) ?? Number.NEGATIVE_INFINITY) > time;
        for (const { effects } of this.#of(entity, time)) {
          if (ticks === 0) effects.delete(name);
          else effects.set(name, time + ticks * TICK);
        }
        if (isFirst || wasOn === ticks > 0) return;
        const who = people.who(entity);
        this.#put("effect", `${calledBy(who)} ${ticks > 0 ? "has" : "loses"} ${name}`, [who]);
        return;
      }
      case EVENT.world: {
        const { weather } = readWorld(cursor);
        const before = this.#weather;
        this.#weather = weather ?? before;
        if (weather === null || before === null || weather === before) return;
        this.#put("weather", WEATHERS[weather] ?? `weather ${weather}`);
        return;
      }
      case EVENT.paletteAdd: {
        if (cursor.bytes[cursor.position] !== PALETTE.dimension) return;
        const name = palettes.read(PALETTE.dimension, readPaletteAdd(cursor).entry);
        const before = this.#dimension;
        this.#dimension = name;
        if (before !== null && name !== before) this.#put("dimension", textOf(name, LONGEST));
        return;
      }
      case EVENT.clearBlocks:
        this.#put("clear-blocks", "all block edits are undone");
        return;
      case EVENT.mark: {
        const { kind, entity, text } = readMark(cursor);
        const label = palettes.value(PALETTE.text, text);
        const event = markEvent(MARK_KINDS[kind] ?? "mark", label, entity, people.who);
        this.#put(event.kind, event.text, event.who);
        return;
      }
      default:
        return;
    }
  }

  #readView(cursor: ByteCursor, time: Time): void {
    const { entity, gameMode, camera } = readView(cursor);
    const was = this.#was(entity, time);
    const before = was?.gameMode ?? null;
    const isSameCamera = was?.camera === camera;
    for (const known of this.#of(entity, time)) {
      known.gameMode = gameMode;
      known.camera = camera;
    }
    if (before === null) return;
    const who = this.#people.who(entity);
    if (gameMode !== before)
      this.#put("game-mode", `${calledBy(who)}: ${GAME_MODES[gameMode] ?? `game mode ${gameMode}`}`, [who]);
    if (isSameCamera) return;
    const seen = camera === null ? null : this.#people.who(camera);
    if (seen === null) this.#put("camera", `${calledBy(who)} looks through its own eyes again`, [who]);
    else this.#put("camera", `${calledBy(who)} looks through the eyes of ${calledBy(seen)}`, [who, seen]);
  }

  /** The message names all passengers from now on. */
  #readMount(cursor: ByteCursor, time: Time): void {
    const { vehicle, passengers } = readMount(cursor);
    const on = this.#people.who(vehicle);
    const all = time === this.#snapshotAt ? this.#before : this.#known;
    const off = [...all].filter(([entity, known]) => known.vehicle === vehicle && !passengers.includes(entity));
    for (const [entity] of off) {
      for (const known of this.#of(entity, time)) known.vehicle = null;
      const who = this.#people.who(entity);
      this.#put("dismount", `${calledBy(who)} gets off ${calledBy(on)}`, [who, on]);
    }
    for (const entity of passengers) {
      const wasOn = this.#was(entity, time)?.vehicle === vehicle;
      for (const known of this.#of(entity, time)) known.vehicle = vehicle;
      if (wasOn || time === this.#first) continue;
      const who = this.#people.who(entity);
      this.#put("mount", `${calledBy(who)} gets on ${calledBy(on)}`, [who, on]);
    }
  }

  /** Who is there from here on, as a snapshot has it (spec §6.2). */
  #learn(batch: MessageBatch, i: number): void {
    const { palettes } = batch.context as ChunkContext;
    this.#people.clear();
    this.#before = this.#known;
    this.#known = new Map();
    this.#snapshotAt = batch.time[i]!;
    this.#weather = null;
    this.#dimension = null;
    for (const { type, body } of readSections(new ByteCursor(batch.bytes, batch.start[i]!, batch.end[i]!))) {
      if (type === SECTION.palettes) {
        const dimension = readPalettes(new ByteCursor(body))[PALETTE.dimension]?.at(-1);
        if (dimension !== undefined) this.#dimension = palettes.read(PALETTE.dimension, dimension);
      }
      if (type === SECTION.world) this.#weather = readWorld(new ByteCursor(body)).weather;
      if (type !== SECTION.entities) continue;
      for (const { entity, details } of readEntities(body))
        this.#people.come(entity, details?.type ?? null, details?.profile ?? null, palettes);
    }
  }

  /** What a player is compared with; undefined: nothing was recorded. */
  #was(entity: number, time: Time): Known | undefined {
    return (time === this.#snapshotAt ? this.#before : this.#known).get(entity);
  }

  /** Where a change is noted: in the tick of a snapshot, twice. */
  #of(entity: number, time: Time): readonly Known[] {
    const known = entryOf(this.#known, entity);
    return time === this.#snapshotAt ? [known, entryOf(this.#before, entity)] : [known];
  }

  #forget(entity: number): void {
    this.#people.go(entity);
    this.#known.delete(entity);
    this.#before.delete(entity);
  }
}

function entryOf(all: Map<number, Known>, entity: number): Known {
  const found = all.get(entity);
  if (found !== undefined) return found;
  const made: Known = { health: null, gameMode: null, camera: null, vehicle: null, effects: new Map() };
  all.set(entity, made);
  return made;
}
