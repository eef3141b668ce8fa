import { ByteBuilder } from "../../bytes/builder.ts";
import { isSameBytes } from "../../bytes/same-bytes.ts";
import { FRAME_INDEX, type MutableFrame, emptyMap, SERVER_TIMESTAMP } from "../../formats/nanover/layout/layout.ts";
import { writeMessage } from "../../formats/nanover/layout/messagepack.ts";
import { frameKeyOf, particleKeysOf, SHARED } from "../../formats/nanover/meaning/state.ts";
import { type Entry, frameEntries, stateEntries } from "../../formats/nanover/write/entries.ts";
import { writeZipState } from "../../formats/nanover/write/transcode.ts";
import type { State } from "../../model/state/state.ts";
import type { Value } from "../../model/values/value.ts";
import { IDENTITY, SCENE, sceneEntry, TRANSFORM } from "./pose.ts";
import type { NanoverStage } from "./stage.ts";

/** A server always has a pose. */
const POSES: ReadonlySet<string> = new Set([SCENE, TRANSFORM]);

/** What holds at a moment, by key. */
export interface Shown {
  readonly frame: ReadonlyMap<string, Value>;
  readonly shared: ReadonlyMap<string, Value>;
}

/** The keys of a state of a NanoVer recording. */
export function shownOf(state: State): Shown {
  const frame = new Map<string, Value>();
  const shared = new Map<string, Value>();
  for (const [path, value] of state.values) {
    if (path.startsWith(SHARED)) shared.set(path.slice(SHARED.length), value);
    else if (path !== FRAME_INDEX && path !== SERVER_TIMESTAMP) frame.set(frameKeyOf(path), value);
  }
  const particles = state.sets.get("particles");
  if (particles === undefined || particles.ids.length === 0) return { frame, shared };
  for (const [key, { data }] of particleKeysOf(particles.columns)) frame.set(key, data as Value);
  return { frame, shared };
}

/** The recorded part of what the server has said, brought to a moment with as few keys as that takes. */
export class Shower {
  readonly #stage: NanoverStage;
  readonly #name: string;
  /** As it was shown last: what is the same object need not be encoded. */
  #last: Shown = { frame: new Map(), shared: new Map() };
  /** Keys of the shared state that came from the recording. */
  readonly recorded: Set<string> = new Set();

  constructor(stage: NanoverStage, name: string) {
    this.#stage = stage;
    this.#name = name;
  }

  /** What was said otherwise than by `show` makes its memory worthless. */
  forget(): void {
    this.#last = { frame: new Map(), shared: new Map() };
  }

  /** `isWhole`: every key of the frame is sent, also those that are as they were. */
  show(shown: Shown, isWhole = false): void {
    const last = this.#last;
    this.#last = shown;
    const changed: MutableFrame = emptyMap();
    for (const [key, value] of shown.frame) if (!Object.is(value, last.frame.get(key))) changed[key] = value;
    const builder = new ByteBuilder(1024);
    writeMessage(builder, { frame: changed });
    this.turnTo(frameEntries(builder.take(), "zip"), new Set(shown.frame.keys()), isWhole);
    const updates: { [key: string]: Value } = emptyMap();
    for (const [key, value] of shown.shared) if (!Object.is(value, last.shared.get(key))) updates[key] = value;
    const made = new ByteBuilder(256);
    writeZipState(made, { updates, removals: [] });
    this.share(stateEntries(made.take(), "zip"), new Set(shown.shared.keys()));
  }

  /** The frame has these keys now, `entries` among them: sends what differs, behind a reset if a key is gone. */
  turnTo(entries: readonly Entry[], keys: ReadonlySet<string>, isWhole = false): void {
    const { frame } = this.#stage;
    const isGone = [...frame.keys()].some((key) => !keys.has(key) && !key.startsWith("system.simulation."));
    const before = isGone ? frame.entriesOf(keys) : [];
    if (isGone) this.#stage.reset(this.#name);
    const wanted = isWhole || isGone ? entries : entries.filter(({ key, bytes }) => !isSame(frame.get(key), bytes));
    const given = new Set(entries.map(({ key }) => key));
    const kept = entriesOf(before).filter(({ key }) => !given.has(key));
    if (kept.length + wanted.length > 0) this.#stage.put([...kept, ...wanted]);
  }

  /** The recorded part of the shared state has these keys now, `entries` among them. */
  share(entries: readonly Entry[], keys: ReadonlySet<string>): void {
    const { shared } = this.#stage;
    const removals = [...this.recorded].filter(
      (key) => !keys.has(key) && !POSES.has(key) && shared.get(key) !== undefined,
    );
    const updates = entries.filter(({ key, bytes }) => !isSame(shared.get(key), bytes));
    if (this.recorded.has(SCENE) && !keys.has(SCENE)) updates.push(sceneEntry(IDENTITY));
    this.recorded.clear();
    for (const key of keys) this.recorded.add(key);
    if (updates.length + removals.length > 0) this.#stage.update(updates, removals);
  }
}

/** Entries by their keys, of entries without. */
function entriesOf(entries: readonly Uint8Array[]): Entry[] {
  const builder = new ByteBuilder(64);
  builder.u8(0x81).raw(FRAME_KEY);
  builder.u8(0xdf).u32be(entries.length);
  for (const entry of entries) builder.raw(entry);
  return frameEntries(builder.take(), "zip");
}

const FRAME_KEY: Uint8Array = Uint8Array.of(0xa5, ...new TextEncoder().encode("frame"));

function isSame(a: Uint8Array | undefined, b: Uint8Array): boolean {
  return a !== undefined && isSameBytes(a, b);
}
