// for users whose `lib` is older
/// <reference lib="esnext.disposable" preserve="true" />
import { NBT, nbtText } from "../../codec/nbt.ts";
import { hostName } from "../../formats/hcrp/chunk/channels.ts";
import { encoder, type HcrpEncoder } from "../../formats/hcrp/write/encode.ts";
import type { CarriedState } from "../../formats/hcrp/write/scene.ts";
import { TICK } from "../../formats/hcrp/layout/framing.ts";
import type { HcrpWriter } from "../../formats/hcrp/write/writer.ts";
import { EVENT, EVENT_NAMES } from "../../formats/hcrp/layout/events.ts";
import { type Store, StoreError } from "../../io/store/store.ts";
import type { State } from "../../model/state/state.ts";
import type { ChannelInfo } from "../../model/values/value.ts";
import type { Account, CreateOptions } from "../../model/writer.ts";
import { type Existing, existing } from "./existing.ts";
import { inheritedFrom, THINGS, thingsIn, thingsTag } from "./inherited.ts";
import { readJournal } from "./journal.ts";
import { OVERFLOW_POLICIES } from "./live-output.ts";
import { nextEntityBehind } from "./next-entity.ts";
import { Notes, type ProfileProperty } from "./notes.ts";
import { StoredRecording } from "./stored-recording.ts";
import { warmUp } from "./warm-up.ts";
import { checkLimits, isAtLimit } from "./limits.ts";
import { eventsOf } from "./profile.ts";
import type { Outcome, RecorderOptions, RecorderStatus } from "./recorder-options.ts";
import { checkResumable, numbered } from "./resume.ts";
import { type EventSink, type Mark, type MarkKind, World } from "./world.ts";
import { WorldSink } from "./world-sink.ts";
import { WorldSnapshots } from "./world-snapshots.ts";

const COMMIT_EVERY = 30_000;
const COMMIT_BYTES = 256 << 10;
const JOURNAL_EVERY = 500;
/** Left free in a tick when a host event is let in: for what the world still has to tell. */
const SPARE_BYTES = 4 << 20;
const BUFFER_BYTES = 16 << 20;

/**
 * Begins a recording in a store, or goes on with one: segments are committed as time passes, and what is committed can
 * be read at once and survives every crash. Throws `StoreError` `conflict` when there is one already, or another
 * process records it; `RecordingError` when it cannot be gone on with.
 */
export async function record(store: Store, options: RecorderOptions): Promise<Recorder> {
  const from = await existing(store, options.id, options.budget);
  try {
    if (from !== null && options.resume !== true)
      throw new StoreError("conflict", `there is a recording already: ${store.name}/${options.id}`, options.id);
    if (from !== null) checkResumable(from, options);
    // one that a recorder left holds what is nowhere else
    else if (readJournal((await options.journal?.read()) ?? new Uint8Array(0)) !== null)
      throw new StoreError(
        "conflict",
        "there is a journal already, of another recording: recover that first",
        options.id,
      );
    const recorder = new Recorder(store, options);
    await recorder.start(from);
    return recorder;
  } finally {
    await from?.reader.close();
  }
}

/**
 * Records a world, or any simulator's state, tick by tick. Nothing here waits for the store or throws because of it.
 */
export class Recorder {
  readonly #store: Store;
  readonly #options: RecorderOptions;
  readonly #records: readonly boolean[];
  /** Wall clock and monotonic clock; milliseconds. */
  readonly #now: () => number;
  readonly #elapsed: () => number;
  readonly #notes = new Notes();
  readonly #giveUp = new AbortController();
  #part: StoredRecording | null = null;
  #sink: WorldSink | null = null;
  #world: World;
  #encoder: HcrpEncoder | null = null;
  /** What the recording that is gone on with holds, until the first state is given. */
  #carried: CarriedState | null = null;
  #id: string;
  #number = 1;
  /** Of the host; the present recording's own tick 0 is `#base`. */
  #tick = 0;
  #base = 0;
  #next: Promise<void> | null = null;
  #ready: Opened | null = null;
  #isMuted = false;
  #needsSnapshot = false;
  /** Whether the present tick holds events, and how many of those since the last commit do. */
  #isBusy = false;
  #busyTicks = 0;
  #busySince: number | null = null;
  /** A player left in the present tick: it is committed when it is over (HCRP spec §8.1). */
  #hasLeft = false;
  /** What is asked for in the middle of a tick is done at its end: no chunk ends within a tick. */
  #wanted: { commit: boolean; snapshot: boolean; versions: Versions | null } = NOTHING_WANTED;
  #versions: Versions;
  /** Those who wait for the end of the tick. */
  #waiting: (() => void)[] = [];
  /** Of the metadata that were committed first and last. */
  #metadataBefore: number | null = null;
  #metadataBytes = 0;
  /** Revision of the notes that the writer has, and of the names of things. */
  #noted = -1;
  #notedNames = 0;
  /** Its last word is noted. */
  #ended: StoredRecording | null = null;
  #lastJournal: number;
  #failure: unknown = null;
  #closing: Promise<void> | null = null;
  /** Recordings that were left for the next one and are still being finished, and when all of them are. */
  #leaving = 0;
  #left: Promise<void> = Promise.resolve();

  constructor(store: Store, options: RecorderOptions) {
    const { policy } = options.buffer ?? {};
    if (policy !== undefined && !OVERFLOW_POLICIES.includes(policy))
      throw new RangeError(`no policy ${policy}; there are ${OVERFLOW_POLICIES.join(", ")}`);
    checkLimits(options.limits);
    this.#store = store;
    this.#options = options;
    this.#id = options.id;
    this.#records = eventsOf(options.profile ?? "standard");
    const { now = Date.now, elapsed = options.now ?? (() => performance.now()) } = options;
    this.#now = () => Math.floor(now());
    this.#elapsed = elapsed;
    this.#lastJournal = elapsed();
    const { dataVersion, protocol = 0, server = "simtape" } = options;
    this.#versions = { dataVersion, protocol, server };
    this.#world = new World(this.#router, this.#records, 1);
  }

  /** Called by `record`. */
  async start(from: Existing | null): Promise<void> {
    const { metadata } = from?.reader.preamble ?? { metadata: null };
    if (metadata !== null) this.#notes.goOn(metadata);
    await warmUp();
    this.#take(await this.#open(this.#id, from, this.#options.epoch ?? this.#epochNow()));
    this.#tick = this.#part!.writer.end;
    const names = from === null ? null : thingsIn(this.#part!.writer.metadata());
    const given = from === null ? 1 : await nextEntityBehind(from);
    const nextEntity = Math.max(this.#notes.nextEntity, this.#part!.nextEntity, given);
    this.#world = new World(this.#router, this.#records, nextEntity);
    this.#world.attach(this.#router, this.#tick);
    this.#notes.session({ tick: this.#tick, time: this.#now(), reason: from === null ? "start" : "resume" });
    // the recording is ours from here on, and can be opened
    this.#note();
    await this.#part!.writer.flush();
    if (names !== null) await this.#inherit(names);
  }

  /** Takes over the world or the state that the recording ends with, now that all of it is in the store. */
  async #inherit(names: ReadonlyMap<number, string>): Promise<void> {
    const whole = await existing(this.#store, this.#id, this.#options.budget);
    if (whole === null) return;
    try {
      const inherited = await inheritedFrom(whole.reader, this.#tick);
      if ("world" in inherited) this.#world.inherit(inherited.world, names);
      else this.#carried = inherited.carried;
    } finally {
      await whole.reader.close();
    }
  }

  /** What happens in a Minecraft-like world. */
  get world(): World {
    if (this.#encoder !== null) throw new RangeError("this recorder takes whole states; a world needs one of its own");
    return this.#world;
  }

  /** The tick that is being recorded; 20 a second. */
  get tick(): number {
    return this.#tick;
  }

  /** The tick in the present recording. */
  get #at(): number {
    return this.#tick - this.#base;
  }

  get status(): RecorderStatus {
    const part = this.#part!;
    return {
      id: this.#id,
      tick: this.#tick,
      committedTick: part.committedTick,
      bytes: part.bytes,
      waiting: part.output.waiting,
      dropped: this.#notes.dropped,
      trouble: part.output.trouble ?? part.journalTrouble,
      failure: this.#failure,
    };
  }

  /** Policy `block`: await this when it is not null, or events are lost at twice the buffer. */
  get ready(): Promise<void> | null {
    return this.#part!.output.ready;
  }

  /** A host event's channel, such as `my-server:score`. Readers find it by its name (HCRP spec §6.4). */
  channel(name: string, version = 1): ChannelInfo {
    return this.#part!.writer.channel({ name, metadata: { version: String(version) } });
  }

  /** A host event in the present tick. */
  write({ name, metadata }: ChannelInfo, payload: Uint8Array): void {
    // the first chunk begins with the state that is gone on with, whatever comes first
    if (this.#carried !== null && !this.#world.isUsed) this.#newEncoder();
    if (this.#world.isUsed) this.#world.enter();
    else this.#router.enter(this.#at, false);
    if (this.#isMuted) this.#notes.drop(name, 1);
    else {
      const { writer } = this.#part!;
      if (payload.length + SPARE_BYTES > writer.room)
        throw new RangeError(`tick ${this.#tick} holds more than a chunk can`);
      writer.write(writer.channel({ name, metadata }), this.#at * TICK, payload);
      this.#isBusy = true;
    }
  }

  /**
   * Everything that holds in any simulator, in the present tick: values and sets as `State` has them (see
   * docs/state.md). Written is what changed.
   */
  state(state: State): void {
    const { writer } = this.#part!;
    const own = this.#encoder ?? this.#newEncoder();
    if (this.#isMuted && !this.#unmute()) {
      this.#notes.drop("state", 1);
      return;
    }
    if (this.#part!.output.needsSnapshot) writer.wantSnapshot();
    this.#isBusy = true;
    own.step({ ...state, time: this.#at * TICK });
  }

  #newEncoder(): HcrpEncoder {
    if (this.#world.isUsed) throw new RangeError("this recorder has a world; whole states need one of their own");
    const account: Account = {
      carried: nothing,
      lost: (path, _, count = 1) => this.#notes.drop(path, count),
      noted: nothing,
    };
    this.#encoder = encoder(this.#part!.writer, account, undefined, this.#world.nextEntity, this.#carried);
    this.#carried = null;
    return this.#encoder;
  }

  /** The present tick is over. */
  endTick(): void {
    this.goTo(this.#tick + 1);
  }

  /** On to a later tick: nothing happens in between. Throws `RangeError` for an earlier one. */
  goTo(tick: number): void {
    if (tick < this.#tick) throw new RangeError(`tick ${tick} is before tick ${this.#tick}, which is recorded`);
    if (tick === this.#tick) return;
    this.#world.settle();
    if (this.#isBusy) {
      this.#busyTicks++;
      this.#busySince ??= this.#elapsed();
      this.#isBusy = false;
    }
    this.#tick = tick;
    this.#world.goTo(this.#at);
    this.#doWanted();
    this.poll();
  }

  /**
   * Looks whether something is due; `goTo` does, so call it only where ticks may stay away for a second. In the middle
   * of a tick what is due is done at its end, but for the journal, which gets the ticks before.
   */
  poll(): void {
    if (this.#closing !== null) return;
    const part = this.#part!;
    const isBetween = this.#isBetweenTicks;
    part.output.tick();
    if (isBetween) this.#overflow(part);
    if (this.#failure !== null) return;
    const { every = COMMIT_EVERY, bytes = COMMIT_BYTES, ticks = Number.POSITIVE_INFINITY } = this.#options.commit ?? {};
    if (this.#busySince !== null) {
      const isDue = this.#elapsed() - this.#busySince >= every || this.#busyTicks >= ticks;
      const isLarge = part.output.waiting >= bytes && !part.output.isCommitting;
      if (isDue || isLarge || this.#hasLeft) this.commit();
    }
    // the one before, which has the same journal, may still need it
    const mayMirror =
      this.#options.journal !== undefined && this.#leaving === 0 && !part.output.isBusy && !part.isMirroring;
    if (mayMirror && this.#isMirrorDue()) {
      if (this.#noted !== this.#notes.revision || this.#notedNames !== this.#world.named) this.#note();
      part.mirror(this.#at);
    }
    if (isBetween && (this.#notes.isFull || isAtLimit(this.#options.limits, this.#use(part)))) this.#link();
  }

  #isMirrorDue(): boolean {
    const now = this.#elapsed();
    if (now - this.#lastJournal < JOURNAL_EVERY) return false;
    this.#lastJournal = now;
    return true;
  }

  /**
   * Commits what there is, in the background: before a pause. It goes by itself when a player leaves. In the middle of
   * a tick it is done at its end.
   */
  commit(): void {
    if (this.#failure !== null) return;
    if (!this.#isBetweenTicks) {
      this.#wanted = { ...this.#wanted, commit: true };
      return;
    }
    this.#busySince = null;
    this.#busyTicks = 0;
    this.#hasLeft = false;
    this.#note();
    this.#endChunk();
    this.#part!.commit(this.#at);
  }

  /** The next tick with events begins a chunk with a snapshot: another dimension, another instance (HCRP events §6). */
  snapshot(): void {
    if (!this.#isBetweenTicks) {
      this.#wanted = { ...this.#wanted, snapshot: true };
      return;
    }
    this.#endChunk();
    this.#part!.writer.wantSnapshot();
  }

  /** Wall clock and reason where it does not go on evenly: `pause`, `rejoin` (HCRP spec §4 `sessions`). */
  session(reason: string): void {
    this.#notes.session({ tick: this.#at, time: this.#now(), reason });
  }

  /** A moment worth finding again, where whole states are recorded; a world has marks of its own. */
  mark(kind: MarkKind, label: string): void {
    this.#notes.mark({ tick: this.#at, kind, entity: null, label, severity: 0 });
  }

  /** A player whom the recording is about (HCRP spec §4 `subjects`), with what else the profile has, as the skin. */
  subject(entity: number, uuid: string, name: string, properties: readonly ProfileProperty[] = []): void {
    this.#notes.subject({ entity, uuid, name, properties });
  }

  /**
   * Another version of the game or the server from the next tick on (HCRP spec §9): a chunk, an epoch, a snapshot. What
   * is not given stays.
   */
  epoch(versions: Versions): void {
    if (!this.#isBetweenTicks) {
      this.#wanted = { ...this.#wanted, versions: { ...this.#wanted.versions, ...versions } };
      return;
    }
    this.snapshot();
    this.#versions = { ...this.#versions, ...versions };
    this.#newEpoch(this.#part!);
  }

  /**
   * Settles when every tick up to now is in the store, the present one when it is over: the code that ends the ticks
   * awaits it between two of them, as it never settles before `endTick`. Rejects when the store refuses.
   */
  async flush(): Promise<void> {
    if (!this.#isBetweenTicks) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.#closing !== null) return this.#closing;
    this.#note();
    this.#endChunk();
    await this.#part!.writer.flush();
  }

  /**
   * Ends the recording, and waits for the store. Rejects when the store refused, or with `timeout` (milliseconds) over:
   * what is committed stays, and `recover` makes a whole of it.
   */
  async close(
    end: { readonly outcome?: Outcome; readonly durationMs?: number; readonly timeout?: number } = {},
  ): Promise<void> {
    this.#closing ??= this.#close(end.outcome ?? "completed", end.durationMs ?? null, end.timeout ?? null);
    await this.#closing;
  }

  /** Gives up what is not committed. */
  async abort(): Promise<void> {
    this.#giveUp.abort();
    for (const go of this.#waiting.splice(0)) go();
    await this.#part?.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close({ outcome: "abandoned" });
  }

  // ── within ────────────────────────────────────────────────────────────

  /** Between the world and whatever part is being recorded. */
  readonly #router: EventSink = {
    enter: (tick, needsSnapshot) => {
      if (this.#isMuted && !this.#unmute()) return null;
      const isBehindGap = this.#needsSnapshot;
      this.#needsSnapshot = false;
      if (this.#part!.output.needsSnapshot) this.#part!.writer.wantSnapshot();
      return this.#sink!.enter(tick, needsSnapshot || isBehindGap);
    },
    event: (core, tick, payload) => {
      if (this.#isMuted) {
        this.#notes.drop(EVENT_NAMES[core]!, 1);
        return;
      }
      this.#isBusy = true;
      this.#hasLeft ||= core === EVENT.leave;
      this.#sink!.event(core, tick, payload);
    },
    mark: (mark: Mark) => this.#notes.mark(mark),
    room: () => this.#part!.writer.room,
  };

  #take({ id, part, snapshots }: Opened): void {
    this.#id = id;
    this.#part = part;
    this.#metadataBefore = null;
    this.#metadataBytes = 0;
    // another recording names them, too
    if (this.#world.named > 0) this.#notedNames = -1;
    this.#sink = new WorldSink(part.writer, snapshots, (mark) => this.#notes.mark(mark));
    this.#newEpoch(part);
  }

  async #open(id: string, from: Existing | null, epoch: bigint): Promise<Opened> {
    const { worldId, worldVersion, dataVersion, metadata, buffer = {}, sleep, journal } = this.#options;
    const create: CreateOptions = {
      ...(from === null ? { epoch } : {}),
      metadata: {
        ...(worldId === undefined ? {} : { worldId }),
        ...(worldVersion === undefined ? {} : { worldVersion }),
        ...(dataVersion === undefined ? {} : { dataVersion }),
        ...(metadata === undefined ? {} : { metadata: { ...metadata } }),
      },
    };
    const pause = sleep ?? ((milliseconds) => wait(milliseconds, this.#giveUp.signal));
    const snapshots = new WorldSnapshots(() => this.#world);
    let opened: StoredRecording | null = null;
    const part = await StoredRecording.open({
      store: this.#store,
      id,
      create,
      from,
      snapshots,
      keepsPrevious: this.#options.keepsPrevious ?? false,
      journal: journal ?? null,
      bufferBytes: buffer.bytes ?? BUFFER_BYTES,
      policy: buffer.policy ?? "drop-oldest",
      sleep: async (milliseconds) => {
        await pause(milliseconds);
        this.#giveUp.signal.throwIfAborted();
      },
      turn: () => pause(0),
      noting: () => {
        if (opened !== null && opened === this.#part && opened !== this.#ended) this.#noteThings(opened.writer);
      },
      dropped: (start, until, counts) => {
        for (const [type, count] of counts) this.#notes.drop(this.#nameOf(type), count);
        this.#notes.gap(start, until);
      },
      failed: (error) => {
        this.#failure ??= error;
      },
    });
    opened = part;
    return { id, part, snapshots };
  }

  #newEpoch(part: StoredRecording): void {
    const { dataVersion, protocol = 0, server = "simtape", schemaVersion = 1 } = this.#versions;
    part.writer.newEpoch({
      dataVersion: dataVersion ?? part.writer.epoch.dataVersion,
      protocol,
      schema: "world",
      schemaVersion,
      server,
      started: BigInt(this.#now()),
    });
  }

  #nameOf(type: number): string {
    const core = EVENT_NAMES[type];
    if (core !== undefined) return core;
    const event = this.#part!.writer.hostEvents.find(({ id }) => id === type);
    return event === undefined ? "extension" : hostName(event, new Set());
  }

  /** Nothing was recorded of the present tick: a chunk may end before it. */
  get #isBetweenTicks(): boolean {
    return !this.#isBusy && !this.#world.isMoving;
  }

  #doWanted(): void {
    const { commit, snapshot, versions } = this.#wanted;
    this.#wanted = NOTHING_WANTED;
    if (snapshot) this.snapshot();
    if (versions !== null) this.epoch(versions);
    if (commit) this.commit();
    for (const go of this.#waiting.splice(0)) go();
  }

  #endChunk(): void {
    this.#part!.writer.endChunk(this.#at);
    this.#world.reenter();
  }

  /** Takes no more events while there is no room, as far as the policy says so, or when all is lost. */
  #overflow(part: StoredRecording): void {
    const { policy = "drop-oldest", bytes = BUFFER_BYTES } = this.#options.buffer ?? {};
    const most = policy === "drop-newest" ? bytes : policy === "block" ? bytes * 2 : Number.POSITIVE_INFINITY;
    const isRoom = part.output.waiting < most && !part.output.isIndexFull;
    if (this.#isMuted || (isRoom && this.#failure === null)) return;
    this.#endChunk();
    this.#isMuted = true;
    this.#notes.gap(this.#at, null);
  }

  /** False: there is still no room. */
  #unmute(): boolean {
    const part = this.#part!;
    if (part.output.isFull || part.output.isIndexFull || this.#failure !== null) return false;
    this.#isMuted = false;
    this.#notes.endGap(this.#at);
    if (this.#encoder === null) this.#needsSnapshot = true;
    else {
      if (part.writer.end < this.#at) part.writer.gap(part.writer.end, this.#at - part.writer.end);
      part.writer.newChunk();
    }
    return true;
  }

  /**
   * At a limit the recording ends cleanly, and the next one goes on (HCRP spec §12): it is opened behind the tick
   * loop's back, and taken up at the first end of a tick after that.
   */
  #link(): void {
    if (this.#next === null) {
      this.#next = this.#openNext().then(
        (next) => {
          this.#ready = next;
        },
        (error: unknown) => {
          this.#failure ??= error;
        },
      );
    }
    if (this.#ready === null) return;
    const next = this.#ready;
    const before = this.#part!;
    this.#notes.next(next.id);
    this.#end(before, "completed", null);
    this.#leaving++;
    this.#left = this.#left.then(async () => {
      await before.close({ keepsJournal: true }).catch((error: unknown) => {
        this.#failure ??= error;
      });
      this.#leaving--;
    });
    this.#notes.startOver(this.#id);
    this.#base = this.#tick;
    this.#next = null;
    this.#ready = null;
    this.#isMuted = false;
    this.#needsSnapshot = false;
    this.#take(next);
    this.#encoder = null;
    this.#world.attach(this.#router, 0);
    this.#notes.session({ tick: 0, time: this.#now(), reason: "linked" });
    // it is there from here on, so that what the journal holds of it can be recovered
    this.commit();
  }

  async #openNext(): Promise<Opened> {
    for (;;) {
      const id = numbered(this.#options.id, ++this.#number);
      const there = await existing(this.#store, id, this.#options.budget);
      if (there === null) return this.#open(id, null, this.#epochNow());
      await there.reader.close();
    }
  }

  /** What there is of all that has a limit. */
  #use({ bytes, output }: StoredRecording): Parameters<typeof isAtLimit>[1] {
    // another recording would begin with as much
    const metadata = this.#metadataBytes > (this.#metadataBefore ?? 0) ? this.#metadataBytes : 0;
    const { count: chunks, segments, indexUse: index } = output;
    return { ticks: this.#at, bytes: bytes + output.waiting, chunks, segments, metadata, index };
  }

  #epochNow(): bigint {
    return BigInt(this.#now()) * 1_000_000n;
  }

  /** Metadata as they are now (HCRP spec §4). */
  #note(outcome: Outcome = "open", durationMs: number | null = null): void {
    const { writer } = this.#part!;
    this.#noted = this.#notes.revision;
    if (outcome === "open") this.#noteThings(writer);
    else writer.noteOwn(THINGS, null);
    for (const [name, tag] of this.#notes.reserved()) writer.note(name, tag);
    for (const [name, tag] of this.#notes.own()) writer.noteOwn(name, tag);
    writer.noteOwn("profile", nbtText(this.#options.profile ?? "standard"));
    writer.note("outcome", nbtText(outcome));
    if (durationMs !== null) writer.note("duration_ms", { type: NBT.long, value: BigInt(Math.round(durationMs)) });
    this.#metadataBytes = writer.metadata().length;
    this.#metadataBefore ??= this.#metadataBytes;
  }

  /** Numbers that must never be used again, and what the sender calls the things that are there. */
  #noteThings(writer: HcrpWriter): void {
    const next = this.#encoder?.nextEntity ?? this.#world.nextEntity;
    if (next > this.#notes.nextEntity) {
      this.#notes.nextEntity = next;
      writer.note("next_entity_id", { type: NBT.int, value: next });
    }
    if (this.#notedNames === this.#world.named) return;
    this.#notedNames = this.#world.named;
    writer.noteOwn(THINGS, thingsTag(this.#world.bodies));
  }

  /** Everything that there is to say of a recording's end. */
  #end(part: StoredRecording, outcome: Outcome, durationMs: number | null): void {
    this.#encoder?.end();
    if (this.#isMuted) this.#notes.endGap(this.#at);
    this.#ended = part;
    this.#note(outcome, durationMs);
    part.writer.endChunk(this.#at);
    part.writer.extend(this.#at);
    part.writer.finishedAt(this.#now());
  }

  async #close(outcome: Outcome, durationMs: number | null, timeout: number | null): Promise<void> {
    const timer = timeout === null ? null : setTimeout(() => this.#giveUp.abort(), timeout);
    try {
      await this.#next;
      await this.#ready?.part.abort();
      // the present tick is part of it when something happened in it
      this.#world.settle();
      if (this.#isBusy) this.endTick();
      this.#end(this.#part!, outcome, durationMs);
      await this.#part!.close();
      await this.#left;
    } finally {
      if (timer !== null) clearTimeout(timer);
    }
    if (this.#failure !== null) throw this.#failure;
  }
}

/** A recording that is begun or gone on with. */
interface Opened {
  readonly id: string;
  readonly part: StoredRecording;
  /** What its writer was made with. */
  readonly snapshots: WorldSnapshots;
}

type Versions = Pick<RecorderOptions, "dataVersion" | "protocol" | "server"> & { readonly schemaVersion?: number };

const NOTHING_WANTED = { commit: false, snapshot: false, versions: null } as const;

function nothing(): void {
  // what is carried needs no account
}

/** A promise that is over in time, or when the recorder gives up. */
function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
}
