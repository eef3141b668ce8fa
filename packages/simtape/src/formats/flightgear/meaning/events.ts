import { ByteCursor } from "../../../bytes/cursor.ts";
import {
  type PropertyNode,
  propertyAt,
  propertyChild,
  propertyChildren,
  propertyDouble,
} from "../../../codec/properties.ts";
import type { MessageBatch } from "../../../model/messages/batch.ts";
import { eventOf } from "../../../model/query/events.ts";
import type { EventReader, Participant, RecordingEvent } from "../../../model/query/event.ts";
import { textOf } from "../../../model/query/value-text.ts";
import type { Recorded } from "../../../model/traits.ts";
import type { Time } from "../../../model/values/time.ts";
import type { Value } from "../../../model/values/value.ts";
import { type FlagChange, Flags } from "./flags.ts";
import { type TapeHeader, textAt } from "../layout/header.ts";
import {
  entryValues,
  findEntry,
  isPacket,
  MESSAGE_POSITION,
  PROPERTIES_AT,
  paddedText,
  readEntry,
  readPacketHeader,
} from "../layout/packet.ts";
import type { TapeLayout } from "../layout/frame-table.ts";
import { SELF } from "./columns.ts";
import { pilotId } from "./state.ts";

/** Id of the property with what a pilot says (semantics §3). */
const CHAT = 10002;
/** Changes of properties that a text names. */
const CHANGES = 3;
const LONGEST = 120;

/** What stands before the frames, and how these lie. */
interface TapeFacts {
  readonly header: TapeHeader;
  readonly layout: TapeLayout;
}

/**
 * Reads events from a tape: switches and wheels among the signals, other pilots' packets, extra properties, and the
 * messages that the header lists.
 */
export class FlightGearEvents implements EventReader {
  readonly channels: ReadonlyMap<number, readonly string[]>;
  readonly listed: readonly RecordingEvent[];
  readonly #recording: Recorded;
  readonly #flags: Flags;
  readonly #self: Participant;
  /** What each pilot said last, by callsign. */
  readonly #said = new Map<string, string>();
  #chat = "";
  readonly #keepChat = (_path: string, value: number | boolean | string): void => {
    this.#chat = String(value);
  };

  /** `tape`: what the reader below the recording says of the file. */
  constructor(recording: Recorded, { header, layout }: TapeFacts) {
    this.#recording = recording;
    this.#flags = new Flags(header.signals);
    this.#self = { set: "aircraft", id: SELF, label: textAt(header.meta, "aircraft-type") };
    const found: Readonly<Record<string, readonly string[]>> = {
      ...(this.#flags.count === 0 ? {} : { signals: ["flag", "touchdown", "liftoff", "crash"] }),
      multiplayer: ["join", "chat"],
      "extra-properties": ["property"],
    };
    const channels = recording.channels.filter(({ name }) => found[name] !== undefined);
    this.channels = new Map(channels.map(({ id, name }) => [id, found[name]!]));
    this.listed = messagesOf(header.tree, header.meta, layout.zero);
  }

  /** What pilots said last is only in their packets, so all of these are read; flags are in the last frame. */
  async begin(start: Time, signal: AbortSignal | undefined): Promise<void> {
    const found: RecordingEvent[] = [];
    const named = (name: string): Recorded["channels"] =>
      this.#recording.channels.filter((channel) => channel.name === name);
    for await (const batch of this.#recording.batches({ end: start, channels: named("multiplayer"), signal })) {
      for (let i = 0; i < batch.length; i++) this.#readPacket(batch, i, found);
      found.length = 0;
    }
    const query = { end: start, channels: named("signals"), reverse: true, signal };
    for await (const batch of this.#recording.batches(query)) {
      this.#readFlags(batch, batch.length - 1, found);
      break;
    }
  }

  read(batch: MessageBatch, i: number, into: RecordingEvent[]): void {
    const channel = this.#recording.channels[batch.channel[i]!]!;
    switch (channel.name) {
      case "signals":
        this.#readFlags(batch, i, into);
        return;
      case "multiplayer":
        this.#readPacket(batch, i, into);
        return;
      default: {
        const value = channel.schema.decode(batch.payload(i), batch.context);
        into.push(eventOf(channel, batch, i, { kind: "property", text: changesIn(value), value }));
      }
    }
  }

  #readFlags(batch: MessageBatch, i: number, into: RecordingEvent[]): void {
    for (const change of this.#flags.compare(batch.bytes, batch.start[i]!, batch.end[i]!)) {
      const channel = this.#recording.channels[batch.channel[i]!]!;
      into.push(eventOf(channel, batch, i, { ...flagEvent(change), who: [this.#self], value: { ...change } }));
    }
  }

  #readPacket(batch: MessageBatch, i: number, into: RecordingEvent[]): void {
    const start = batch.start[i]!;
    const end = batch.end[i]!;
    if (!isPacket(batch.bytes, start, end) || end - start < PROPERTIES_AT) return;
    const cursor = new ByteCursor(batch.bytes, start, end);
    const header = readPacketHeader(cursor);
    if (header.messageId !== MESSAGE_POSITION) return;
    const callsign = paddedText(header.callsign);
    const before = this.#said.get(callsign);
    cursor.seek(start + PROPERTIES_AT);
    if (findEntry(cursor, CHAT)) {
      this.#chat = "";
      const entry = readEntry(cursor);
      if (entry !== null) entryValues(entry, this.#keepChat);
    } else this.#chat = before ?? "";
    const chat = this.#chat;
    if (chat === before) return;
    this.#said.set(callsign, chat);
    const channel = this.#recording.channels[batch.channel[i]!]!;
    const who = [{ set: "aircraft", id: pilotId(callsign), label: callsign }];
    if (before === undefined) into.push(eventOf(channel, batch, i, { kind: "join", text: `${callsign} joins`, who }));
    if (chat === "") return;
    into.push(eventOf(channel, batch, i, { kind: "chat", text: `${callsign}: ${chat}`, who, value: chat }));
  }
}

function flagEvent({ property, isOn }: FlagChange): Pick<RecordingEvent, "kind" | "text"> {
  if (property.endsWith("/wow")) {
    const wheel = property.slice(1, -"/wow".length);
    return isOn
      ? { kind: "touchdown", text: `${wheel} touches the ground` }
      : { kind: "liftoff", text: `${wheel} leaves the ground` };
  }
  if (property === "/sim/crashed" && isOn) return { kind: "crash", text: "the aircraft crashes" };
  return { kind: "flag", text: `${property} ${isOn ? "on" : "off"}` };
}

function changesIn(value: Value): string {
  const { changes, removals } = value as unknown as {
    readonly changes: readonly (readonly [string, string])[];
    readonly removals: readonly string[];
  };
  const all = [...changes.map(([path, text]) => `${path} = ${text}`), ...removals.map((path) => `${path} removed`)];
  const rest = all.length > CHANGES ? `, and ${all.length - CHANGES} more` : "";
  return textOf(all.slice(0, CHANGES).join(", "), LONGEST) + rest;
}

/** Messages shown at their time: 2020.x lists them at the root, 2024.1 below `meta`, at native times (spec §3.4). */
function messagesOf(tree: PropertyNode, meta: PropertyNode, zero: number): readonly RecordingEvent[] {
  const lists = [propertyAt(tree, "messages"), propertyChild(meta, "messages")].filter((list) => list !== undefined);
  const events: RecordingEvent[] = [];
  for (const message of lists.flatMap((list) => propertyChildren(list, "msg"))) {
    const time = propertyChild(message, "time");
    const [text, speaker] = [textAt(message, "text"), textAt(message, "speaker")];
    const native = time === undefined ? Number.NaN : propertyDouble(time);
    if (!Number.isFinite(native)) continue;
    const said = { kind: "message", text: speaker === "" ? text : `${speaker}: ${text}`, value: { speaker, text } };
    events.push({ ...said, time: Math.round((native - zero) * 1e9), who: [], channel: null, sequence: null });
  }
  return events.sort((a, b) => a.time - b.time);
}
