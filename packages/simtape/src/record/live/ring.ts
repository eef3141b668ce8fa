import { NBT, nbtCompound } from "../../codec/nbt.ts";
import { createLiveWriter, createWriter } from "../../formats/hcrp/write/create.ts";
import { LIMITS } from "../../formats/hcrp/layout/framing.ts";
import { uuidTag } from "../../formats/hcrp/layout/metadata.ts";
import type { ChunkOutput } from "../../formats/hcrp/write/output.ts";
import type { FinishedChunk } from "../../formats/hcrp/write/segment-chunk.ts";
import type { HcrpWriter } from "../../formats/hcrp/write/writer.ts";
import type { SinkBundle } from "../../io/sink/sink.ts";
import type { CreateOptions } from "../../model/writer.ts";
import { Notes } from "./notes.ts";
import { eventsOf, type RecordingProfile } from "./profile.ts";
import { type Mark, World } from "./world.ts";
import { WorldSink } from "./world-sink.ts";
import { WorldSnapshots } from "./world-snapshots.ts";

/** How far a ring goes back, and what its clips say of the world. Everything is optional. */
export interface RingOptions {
  /** Ticks that a clip goes back, at least; 6,000 are five minutes. */
  readonly ticks?: number | undefined;
  /** As a recorder's: what of the world is kept, and what the clips say of it. */
  readonly profile?: RecordingProfile | undefined;
  readonly worldId?: string | undefined;
  readonly worldVersion?: string | Uint8Array | undefined;
  readonly dataVersion?: number | undefined;
  /** Wall clock at tick 0, Unix nanoseconds. */
  readonly epoch?: bigint | undefined;
  /** UUID that the clips name as their origin (HCRP spec §4 `origin`); one is made up when absent. */
  readonly recordingId?: string | undefined;
}

/** A clip that was saved. */
export interface Clip {
  /** Ticks of the ring, the last not included. */
  readonly from: number;
  readonly until: number;
  /** Triggers that it was saved for. */
  readonly triggers: readonly Trigger[];
}

/** Why a clip is saved, and at which tick. */
export interface Trigger {
  readonly tick: number;
  /** `report`, or another cause. */
  readonly reason: string;
}

const TICKS = 6000;
/** Ticks of a chunk, and so what a clip may be longer than asked for (HCRP spec §13 row 36). */
const CHUNK_TICKS = 200;

/**
 * The last minutes of one subject's world in memory, to be saved on request: a recorder without a store. Every
 * chunk begins with a snapshot, so that a clip can begin with any.
 */
export class Ring {
  readonly world: World;
  readonly #writer: HcrpWriter;
  readonly #output: RingOutput;
  readonly #notes = new Notes();
  readonly #options: RingOptions;
  readonly #recordingId: string;
  #marks: Mark[] = [];
  #tick = 0;
  #chunk = 0;
  #pending: Pending | null = null;

  private constructor(
    writer: HcrpWriter,
    snapshots: WorldSnapshots,
    output: RingOutput,
    options: RingOptions,
    recordingId: string,
  ) {
    this.#writer = writer;
    this.#output = output;
    this.#options = options;
    this.#recordingId = recordingId;
    const sink = new WorldSink(writer, snapshots, (mark) => this.#marks.push(mark));
    this.world = new World(sink, eventsOf(options.profile ?? "standard"));
  }

  static async create(options: RingOptions = {}): Promise<Ring> {
    let recordingId = "";
    const output = new RingOutput(options.ticks ?? TICKS);
    const snapshots: WorldSnapshots = new WorldSnapshots(() => ring.world, true);
    const writer = await createLiveWriter(
      (profile) => {
        ({ recordingId } = profile);
        return output;
      },
      createOptions(options, options.recordingId),
      null,
      snapshots,
    );
    const ring: Ring = new Ring(writer, snapshots, output, options, recordingId);
    return ring;
  }

  get tick(): number {
    return this.#tick;
  }

  /** Compressed and inflated bytes that are held. */
  get bytes(): number {
    return this.#output.bytes + (this.#writer.peek(this.#tick + 1)?.length ?? 0);
  }

  /** Ticks that a clip would hold now. */
  get ticks(): number {
    return this.#tick - (this.#output.first ?? this.#chunk);
  }

  /** The present tick is over. */
  endTick(): void {
    this.goTo(this.#tick + 1);
  }

  /** On to a later tick. Throws `RangeError` for an earlier one. */
  goTo(tick: number): void {
    if (tick < this.#tick) throw new RangeError(`tick ${tick} is before tick ${this.#tick}, which is held`);
    while (tick - this.#chunk >= CHUNK_TICKS) {
      this.#chunk += CHUNK_TICKS;
      this.#cut(this.#chunk);
    }
    this.world.goTo(tick);
    this.#tick = tick;
    const pending = this.#pending;
    if (pending !== null && tick >= pending.due) {
      this.#pending = null;
      this.#write(pending).then(pending.resolve, pending.reject);
    }
  }

  /**
   * Saves a clip: everything that is held up to the end of the present tick, and `after` ticks more when it is time. A
   * trigger while another one waits for its end makes that clip longer, and both get the same one. `to` is asked for
   * once, when the clip is written.
   */
  save(reason: string, after: number, to: () => SinkBundle): Promise<Clip> {
    const trigger = { tick: this.#tick, reason };
    // a clip holds whole ticks
    const wait = Math.max(after, this.world.isInTick && this.#chunk < this.#tick ? 1 : 0);
    const due = this.#tick + wait;
    if (this.#pending !== null) {
      this.#pending.triggers.push(trigger);
      this.#pending.due = Math.max(this.#pending.due, due);
      return this.#pending.promise;
    }
    let settle: Pick<Pending, "resolve" | "reject"> | null = null;
    const promise = new Promise<Clip>((resolve, reject) => {
      settle = { resolve, reject };
    });
    const held = this.#output.hold();
    const pending: Pending = { promise, ...settle!, triggers: [trigger], due, to, held };
    if (wait <= 0) this.#write(pending).then(pending.resolve, pending.reject);
    else this.#pending = pending;
    return promise;
  }

  /** The clip waits no longer for its end: at shutdown. The present tick is over. */
  async finish(): Promise<void> {
    if (this.world.isInTick) this.endTick();
    const pending = this.#pending;
    if (pending === null) return;
    this.#pending = null;
    await this.#write(pending).then(pending.resolve, pending.reject);
  }

  /** Chunks are as long as each other, whatever happens in them: a clip is never much longer than it must be. */
  #cut(tick: number): void {
    this.world.settle();
    this.#writer.endChunk(tick);
    this.world.goTo(tick);
    if (this.world.isUsed) this.world.enterAgain();
    const oldest = this.#output.first ?? tick;
    const { held } = this.#pending ?? {};
    const kept = Math.min(oldest, held?.first ?? oldest);
    this.#marks = this.#marks.filter((mark) => mark.tick >= kept);
  }

  /** Frames go as they are; ticks begin at 0 (HCRP events §7). */
  async #write({ to, triggers, held }: Pending): Promise<Clip> {
    const until = this.#tick;
    if (this.#chunk < until) {
      this.#writer.endChunk(until);
      this.world.reenter();
    }
    const chunks = this.#output.release(held);
    const from = chunks[0]?.startTick ?? until;
    const { epoch } = this.#options;
    const started = epoch === undefined ? undefined : epoch + BigInt(from) * 50_000_000n;
    const create = createOptions({ ...this.#options, epoch: started }, undefined);
    const writer = await createWriter(to(), { ...create, metadata: { ...create.metadata, clip: true } });
    try {
      writer.adoptHostEvents(this.#writer.hostEvents);
      for (const chunk of chunks) {
        const startTick = chunk.startTick - from;
        if (startTick > writer.end) writer.gap(writer.end, startTick - writer.end);
        writer.adopt({ ...chunk, startTick });
      }
      writer.extend(until - from);
      const marks = this.#marks.filter(({ tick }) => tick >= from);
      this.#notes.nextEntity = this.world.nextEntity;
      const added = triggers.map(
        ({ tick, reason }): Mark => ({ tick, kind: "report", entity: null, label: reason, severity: 0 }),
      );
      for (const mark of [...marks, ...added].sort((a, b) => a.tick - b.tick))
        this.#notes.mark({ ...mark, tick: mark.tick - from });
      for (const [name, tag] of this.#notes.reserved()) writer.note(name, tag);
      const origin = { recording: uuidTag(this.#recordingId), from_tick: { type: NBT.int, value: from } as const };
      writer.note("origin", nbtCompound(origin));
      await writer.close();
    } catch (error) {
      await writer.abort();
      throw error;
    }
    return { from, until, triggers };
  }
}

interface Pending {
  readonly promise: Promise<Clip>;
  readonly resolve: (clip: Clip) => void;
  readonly reject: (error: unknown) => void;
  readonly triggers: Trigger[];
  /** Tick at which it is written. */
  due: number;
  readonly to: () => SinkBundle;
  readonly held: Held;
}

/** Chunks that a clip waits with, although the ring has left them. */
interface Held {
  readonly first: number | null;
  readonly chunks: FinishedChunk[];
}

/** Chunks in memory: those behind `ticks` go, as long as what is left is long enough. */
class RingOutput implements ChunkOutput {
  readonly #ticks: number;
  #chunks: FinishedChunk[] = [];
  readonly #held = new Set<Held>();
  #count = 0;
  bytes = 0;

  constructor(ticks: number) {
    this.#ticks = ticks;
  }

  get count(): number {
    return this.#count;
  }

  get indexUse(): number {
    return this.#chunks.length / LIMITS.chunks;
  }

  get ready(): null {
    return null;
  }

  /** Tick that the oldest chunk begins at. */
  get first(): number | null {
    return this.#chunks[0]?.startTick ?? null;
  }

  add(chunk: FinishedChunk): void {
    this.#count++;
    this.#chunks.push(chunk);
    this.bytes += chunk.frame.length;
    for (const { chunks } of this.#held) chunks.push(chunk);
    const end = chunk.startTick + chunk.tickCount;
    for (;;) {
      const [oldest, next] = this.#chunks;
      if (next === undefined || end - next.startTick < this.#ticks) return;
      this.bytes -= oldest!.frame.length;
      this.#chunks.shift();
    }
  }

  hold(): Held {
    const held = { first: this.first, chunks: [...this.#chunks] };
    this.#held.add(held);
    return held;
  }

  release(held: Held): readonly FinishedChunk[] {
    this.#held.delete(held);
    return held.chunks;
  }

  async flush(): Promise<void> {
    // nothing is on its way
  }

  async close(): Promise<void> {
    this.#chunks = [];
  }

  async abort(): Promise<void> {
    this.#chunks = [];
  }
}

function createOptions(options: RingOptions, recordingId: string | undefined): CreateOptions {
  const { worldId, worldVersion, dataVersion, epoch } = options;
  return {
    ...(epoch === undefined ? {} : { epoch }),
    metadata: {
      ...(recordingId === undefined ? {} : { recordingId }),
      ...(worldId === undefined ? {} : { worldId }),
      ...(worldVersion === undefined ? {} : { worldVersion }),
      ...(dataVersion === undefined ? {} : { dataVersion }),
    },
  };
}
