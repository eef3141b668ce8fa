import { hcrp } from "../../src/formats/hcrp/format.ts";
import { MemoryFiles, memoryStore, open, type Store, StoreError, type Value } from "../../src/index.ts";
import { compact } from "../../src/record/compact/compact.ts";
import { recordingBundle } from "../../src/record/live/existing.ts";
import type { RecordingProfile } from "../../src/record/live/profile.ts";
import type { Outcome } from "../../src/record/live/recorder-options.ts";
import { record } from "../../src/record/live/recorder.ts";
import type { MarkKind } from "../../src/record/live/world.ts";

export const DAY = 86_400_000;
/** 2026-06-01T00:00:00Z in Unix milliseconds. */
export const NOW = 1_780_272_000_000;
export const MAPS = ["0f5ba7a2-6a0e-4d3b-9c55-000000000001", "0f5ba7a2-6a0e-4d3b-9c55-000000000002"] as const;
export const STEVE = "069a79f4-44e9-4726-a5be-fca90e38aaf5";
export const ALEX = "ec561538-f3fd-461d-aff5-086b22154bce";

/** A recording to be made; it takes a second. */
export interface Made {
  /** Days before `NOW` at which it ended. */
  readonly ago: number;
  readonly map?: string;
  readonly subject?: string;
  /** Scored time, milliseconds. */
  readonly took?: number;
  /** Null: its recorder was killed. */
  readonly outcome?: Outcome | null;
  readonly mark?: readonly [kind: MarkKind, severity: number];
  readonly profile?: RecordingProfile;
  readonly metadata?: Readonly<Record<string, Value>>;
  /** Also as `recording.hcrp` beside the segments. */
  readonly isCompacted?: boolean;
  /** Ends and begins another at half a second. */
  readonly isCut?: boolean;
}

/** A store in memory whose objects change at the time of a clock that is set by hand. */
export class DatedStore implements Store {
  time = NOW;
  readonly name = "memory";
  readonly #store = memoryStore();
  readonly #modified = new Map<string, number>();

  /** The same objects at the same times; etags differ. */
  async copy(): Promise<DatedStore> {
    const copy = new DatedStore();
    for (const [key, modified] of this.#modified) {
      const found = await this.get(key);
      copy.time = modified;
      if (found !== null) await copy.put(key, found.bytes);
    }
    copy.time = this.time;
    return copy;
  }

  async *list(...words: Parameters<Store["list"]>): ReturnType<Store["list"]> & AsyncGenerator {
    for await (const entry of this.#store.list(...words)) yield { ...entry, modified: this.#modified.get(entry.key)! };
  }
  async head(...words: Parameters<Store["head"]>): ReturnType<Store["head"]> {
    const entry = await this.#store.head(...words);
    return entry && { ...entry, modified: this.#modified.get(entry.key)! };
  }
  get(...words: Parameters<Store["get"]>): ReturnType<Store["get"]> {
    return this.#store.get(...words);
  }
  source(...words: Parameters<Store["source"]>): ReturnType<Store["source"]> {
    return this.#store.source(...words);
  }
  sink(...words: Parameters<Store["sink"]>): ReturnType<Store["sink"]> {
    this.#modified.set(words[0], this.time);
    return this.#store.sink(...words);
  }
  delete(...words: Parameters<Store["delete"]>): ReturnType<Store["delete"]> {
    return this.#store.delete(...words);
  }
  async put(...words: Parameters<Store["put"]>): ReturnType<Store["put"]> {
    const etag = await this.#store.put(...words);
    this.#modified.set(words[0], this.time);
    return etag;
  }
}

/** Records `id` into a store, as it would have been at its time. */
export async function make(store: Store, id: string, made: Made): Promise<void> {
  const { ago, map, subject, took, outcome = "completed", mark, profile, metadata, isCompacted, isCut } = made;
  let time = NOW - ago * DAY - 1000;
  const follow = (): void => {
    if (store instanceof DatedStore) store.time = time;
  };
  follow();
  const recorder = await record(store, {
    id,
    epoch: BigInt(time) * 1_000_000n,
    worldId: map,
    profile,
    metadata,
    now: () => time,
    sleep: async () => undefined,
    keepsPrevious: true,
    ...(isCut === true ? { limits: { ticks: 10 } } : {}),
  });
  if (subject !== undefined) recorder.subject(1, subject, "Subject");
  const { world } = recorder;
  const player = world.join({ uuid: subject ?? STEVE, name: "Subject" }, stance(0));
  for (let tick = 1; tick <= 20; tick++) {
    recorder.endTick();
    if (tick === 11) {
      await recorder.flush();
      await new Promise((resolve) => setImmediate(resolve));
    }
    world.move(player, stance(tick));
    time += 50;
    follow();
    if (tick === 10 && mark !== undefined) world.mark(mark[0], "look", player, mark[1]);
  }
  if (outcome === null) {
    recorder.endTick();
    await recorder.flush();
    await recorder.abort();
  } else await recorder.close(took === undefined ? { outcome } : { outcome, durationMs: took });
  if (isCompacted === true) await makeCompacted(store, id);
  if (store instanceof DatedStore) store.time = NOW;
}

/** Adds the compacted file to a recording. */
export async function makeCompacted(store: Store, id: string): Promise<void> {
  const files = new MemoryFiles();
  await compact(recordingBundle(store, id), files, { level: 1 });
  await store.put(`${id}/recording.hcrp`, files.bytes);
}

/** A clip as a ring saves it: one file, tick 0 is a cut. */
export async function makeClip(store: Store, id: string, ago: number): Promise<void> {
  const at = NOW - ago * DAY;
  const files = new MemoryFiles();
  const { create } = await hcrp.writing!();
  const writer = await create(files, {
    epoch: BigInt(at) * 1_000_000n,
    metadata: { clip: true, metadata: { hcrp: { outcome: "completed", duration_ms: 1 } } },
  });
  await writer.close();
  await store.put(`${id}.hcrp`, files.bytes);
}

/** Ids of the recordings in a store that can be opened, each read to its end; throws when one of them is not whole. */
export async function wholeRecordings(store: Store): Promise<string[]> {
  const ids = new Set<string>();
  for await (const { key } of store.list("")) {
    const found = /^(?!trash\/)(.+?)(?:\/meta\.hcrp|\/recording\.hcrp|\.hcrp)$/.exec(key);
    if (found === null) continue;
    ids.add(found[1]!);
    const bundle = key.endsWith("/meta.hcrp")
      ? recordingBundle(store, found[1]!)
      : { name: null, open: async (name?: string) => (name === undefined ? store.source(key) : null) };
    const recording = await open(bundle, { formats: [hcrp] });
    for await (const _ of recording.batches());
    const bad = recording.findings.filter(({ severity }) => severity === "damage" || severity === "loss");
    await recording.close();
    if (bad.length > 0) throw new Error(`${key} is not whole: ${bad[0]!.message}`);
  }
  return [...ids].sort();
}

export async function keysOf(store: Store, prefix = ""): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(prefix)) keys.push(key);
  return keys;
}

/** A store whose user is killed after so many operations: everything after fails. Counts them too. */
export class KilledStore implements Store {
  operations = 0;
  readonly #store: Store;
  readonly #lives: number;

  constructor(store: Store, lives: number = Number.POSITIVE_INFINITY) {
    this.#store = store;
    this.#lives = lives;
  }
  get name(): string {
    return this.#store.name;
  }
  async *list(...words: Parameters<Store["list"]>): ReturnType<Store["list"]> & AsyncGenerator {
    this.#live();
    yield* this.#store.list(...words);
  }
  async head(...words: Parameters<Store["head"]>): ReturnType<Store["head"]> {
    this.#live();
    return this.#store.head(...words);
  }
  async get(...words: Parameters<Store["get"]>): ReturnType<Store["get"]> {
    this.#live();
    return this.#store.get(...words);
  }
  async source(...words: Parameters<Store["source"]>): ReturnType<Store["source"]> {
    this.#live();
    return this.#store.source(...words);
  }
  async sink(...words: Parameters<Store["sink"]>): ReturnType<Store["sink"]> {
    this.#live();
    return this.#store.sink(...words);
  }
  async put(...words: Parameters<Store["put"]>): ReturnType<Store["put"]> {
    this.#live();
    return this.#store.put(...words);
  }
  async delete(...words: Parameters<Store["delete"]>): ReturnType<Store["delete"]> {
    this.#live();
    return this.#store.delete(...words);
  }
  #live(): void {
    if (this.operations++ >= this.#lives) throw new StoreError("unavailable", "killed", null);
  }
}

function stance(tick: number): { x: number; y: number; z: number; yaw: number; pitch: number } {
  return { x: Math.sin(tick) * 9, y: 64, z: Math.cos(tick * 1.3) * 9, yaw: tick * 7, pitch: 0 };
}
