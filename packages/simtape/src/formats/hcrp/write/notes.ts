import { NBT, type NbtCompound, type NbtTag, nbtCompound, nbtEntry, nbtText } from "../../../codec/nbt.ts";
import type { Epoch, HostEvent } from "../layout/metadata.ts";
import { compoundIn, OWN_KEY } from "../layout/metadata-writing.ts";
import type { HcrpReader } from "../read/reader.ts";
import { isSameEpoch } from "./checks.ts";
import type { Outcome } from "./profile.ts";

/** Key of our own compound that is dropped when the content is no longer that of the files it tells of. */
export const ORIGINALS_KEY = "originals";

/** What the writer knows of a recording when its metadata are written. */
export interface Written {
  /** Null: those of the source, or none. */
  readonly events: readonly HostEvent[] | null;
  readonly epochs: readonly Epoch[];
  readonly chunks: number;
  readonly ticks: number;
  /** The one number of ticks that everything was shifted by; null: nothing yet; NaN: several. */
  readonly shift: number | null;
  readonly cutAt: number | null;
  readonly isCopy: boolean;
  readonly isFinal: boolean;
}

/** Entries for the metadata, beside those of the recording that is copied. */
export class WriterNotes {
  readonly #like: HcrpReader | null;
  readonly #root: NbtCompound | null;
  readonly #reserved = new Map<string, NbtTag | null>();
  readonly #own = new Map<string, NbtTag | null>();
  readonly #marks: NbtCompound[] = [];
  #revision = 0;

  /** `root`: what is taken over of the metadata of `like`. */
  constructor(like: HcrpReader | null, root: NbtCompound | null) {
    this.#like = like;
    this.#root = root;
  }

  /** Rises with every entry. */
  get revision(): number {
    return this.#revision;
  }

  /** Of the compound `hcrp`; null takes it out. */
  note(name: string, tag: NbtTag | null): void {
    this.#revision++;
    this.#reserved.set(name, tag);
  }

  /** Of our own compound. */
  noteOwn(name: string, tag: NbtTag | null): void {
    this.#revision++;
    this.#own.set(name, tag);
  }

  /** Behind those of the source. */
  mark(tick: number, kind: string, label: string): void {
    this.#revision++;
    this.#marks.push(nbtCompound({ tick: { type: NBT.int, value: tick }, kind: nbtText(kind), label: nbtText(label) }));
  }

  /** What our own compound of the source has under a name. */
  ownOfSource(name: string): NbtTag | null {
    const root = this.#root;
    return root === null ? null : (nbtEntry(compoundIn(root, OWN_KEY), name) ?? null);
  }

  outcome({ events, epochs, chunks, ticks, shift, cutAt, isCopy: isSame, isFinal }: Written): Outcome {
    const reserved = new Map(this.#reserved);
    const own = new Map(this.#own);
    const isCopy = isSame && isFinal;
    if (this.#like !== null && !isCopy && isFinal) {
      if (this.ownOfSource(ORIGINALS_KEY) !== null && !own.has(ORIGINALS_KEY)) own.set(ORIGINALS_KEY, null);
      if (shift !== null && !Number.isNaN(shift)) moveTicks(this.#root!, reserved, shift, ticks);
    }
    if (this.#marks.length > 0) {
      const root = this.#root;
      const list = reserved.get("marks") ?? (root && nbtEntry(compoundIn(root, "hcrp"), "marks"));
      const items = list?.type === NBT.list && list.itemType === NBT.compound ? list.items : [];
      reserved.set("marks", { type: NBT.list, itemType: NBT.compound, items: [...items, ...this.#marks] });
    }
    const isOfSource = hasSourceEpochs(this.#like?.source.epochs ?? [], epochs, chunks);
    return { events, epochs: epochs.length > 0 && !isOfSource ? epochs : null, reserved, own, cutAt, isCopy };
  }
}

function hasSourceEpochs(source: readonly Epoch[], own: readonly Epoch[], chunks: number): boolean {
  if (own.length > source.length) return false;
  if (!own.every((epoch, i) => epoch.chunk === source[i]!.chunk && isSameEpoch(epoch, source[i]!))) return false;
  return own.length === source.length || source[own.length]!.chunk >= chunks;
}

/** Marks and sessions go along with the ticks they are of; those that are cut away go (spec §4). */
function moveTicks(root: NbtCompound, reserved: Map<string, NbtTag | null>, by: number, tickCount: number): void {
  const hcrp = compoundIn(root, "hcrp");
  for (const name of ["marks", "sessions"]) {
    const list = nbtEntry(hcrp, name);
    if (reserved.has(name) || list?.type !== NBT.list || list.itemType !== NBT.compound) continue;
    const items = list.items.flatMap((item) => {
      const tick = item.type === NBT.compound ? nbtEntry(item, "tick") : undefined;
      if (item.type !== NBT.compound || tick?.type !== NBT.int) return [item];
      const moved = tick.value + by;
      if (moved < 0 || moved > tickCount) return [];
      return [
        {
          ...item,
          entries: item.entries.map((entry) =>
            entry.name.value === "tick" ? { ...entry, tag: { type: NBT.int, value: moved } } : entry,
          ),
        },
      ];
    });
    reserved.set(name, { ...list, items });
  }
}
