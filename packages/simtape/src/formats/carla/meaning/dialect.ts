import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import type { Reader } from "../../../model/reader.ts";
import { listOf, membersOf, wholeOf } from "../../../model/kept/shapes.ts";
import type { Value } from "../../../model/values/value.ts";
import {
  ANIM_VEHICLE,
  BOUNDING_BOX,
  type Dialect,
  EVENT_ADD,
  KINEMATICS,
  type PacketKind,
  PHYSICS_CONTROL,
  POSITION,
  readEventAdd,
  TRIGGER_VOLUME,
  VEHICLE_LIGHT,
  VISUAL_TIME,
} from "../layout/layout.ts";
import { wheelWidths } from "../layout/physics.ts";
import { isStatePatch, STATE_PACKET } from "./state-patch.ts";

/** Shapes that ids 21 to 24 have had (spec §3.1, §6.2). */
const LATE_KINDS = ["vehicle-door", "biker", "weather", "vehicle-wheels"] as const;
type LateKind = (typeof LATE_KINDS)[number];

/** Meaning of ids 21 to 24 in the three maps that releases used (spec §3.1). */
const MAPS: Readonly<Record<"A" | "B" | "C", readonly [PacketKind, PacketKind, PacketKind | null, PacketKind | null]>> =
  {
    A: ["vehicle-wheels", "biker", null, null],
    B: ["vehicle-door", "vehicle-wheels", "biker", "weather"],
    C: ["vehicle-wheels", "biker", "vehicle-door", "weather"],
  };

/** The dialect of an open recording, by what its reader says of it: also of an edited one. */
export function dialectOf({ channels, info }: Pick<Reader, "channels" | "info">): Dialect {
  const kinds: (PacketKind | null)[] = [null, null, null, null];
  for (const { name, metadata } of channels) {
    const id = Number(metadata["packet"]);
    if (id > VISUAL_TIME && id <= 24 && name !== `packet-${id}`) kinds[id - 21] = name as PacketKind;
  }
  const { wheelBytes, vectors, headerVersion } = info.metadata;
  return {
    scalar: vectors === "float64" ? 8 : 4,
    wheel: wheelBytes as Dialect["wheel"],
    late: [kinds[0]!, kinds[1]!, kinds[2]!, kinds[3]!],
    version: headerVersion as number,
  };
}

/** Learns the dialect of a file from the packets it is shown (spec §6). */
export class DialectDetector {
  readonly #version: number;
  #scalar: 4 | 8 | null = null;
  /** From blueprints, used only when no packet tells. */
  #guessedScalar: 4 | 8 | null = null;
  /** What fits all packets that fit anything: a vehicle without wheels leaves it open. */
  #wheels: readonly Dialect["wheel"][] = [];
  #seen = 0;
  #hasTypeFive = false;
  /** Actors of type 0 that are no sensors, of the first event-add packet: from 0.9.11 on they have positions. */
  #props: Set<number> | null = null;
  /** Whether the first positions hold one of them; null before there are both. */
  #hasProps: boolean | null = null;
  /** For ids 21 to 24: packets with records, and how many of them each kind fits. */
  readonly #late: { packets: number; readonly fitting: number[] }[] = LATE_KINDS.map(() => ({
    packets: 0,
    fitting: LATE_KINDS.map(() => 0),
  }));

  #firstOwn: boolean | null = null;

  constructor(version: number) {
    this.#version = version;
  }

  /** What the packets taught, for `recall`. */
  learned(): Value {
    const late = this.#late.map(({ packets, fitting }): Value => [packets, fitting.slice()]);
    return {
      ...{ scalar: this.#scalar, guessedScalar: this.#guessedScalar, wheels: this.#wheels.slice() },
      ...{ seen: this.#seen, hasTypeFive: this.#hasTypeFive, hasProps: this.#hasProps },
      ...{ firstOwn: this.#firstOwn, late },
    };
  }

  /** Knows what another learned, in place of being shown packets. */
  recall(learned: Value | undefined): void {
    const { scalar, guessedScalar, wheels, seen, hasTypeFive, hasProps, firstOwn, late } = membersOf(learned);
    this.#scalar = scalar as 4 | 8 | null;
    this.#guessedScalar = guessedScalar as 4 | 8 | null;
    this.#wheels = listOf(wheels) as readonly Dialect["wheel"][];
    this.#seen = wholeOf(seen);
    this.#hasTypeFive = hasTypeFive === true;
    this.#hasProps = hasProps as boolean | null;
    this.#firstOwn = firstOwn as boolean | null;
    for (const [place, item] of listOf(late).entries()) {
      const [packets, fitting] = listOf(item);
      this.#late[place]!.packets = wholeOf(packets);
      for (const [k, count] of listOf(fitting).entries()) this.#late[place]!.fitting[k] = wholeOf(count);
    }
  }

  /** Packets with the id of simtape's own are another's. */
  get isForeign(): boolean {
    return this.#firstOwn === false;
  }

  /** One packet: payload `bytes[start, end)`. */
  see(id: number, bytes: Uint8Array, start: number, end: number): void {
    this.#seen |= id < 31 ? 1 << id : 0;
    const size = end - start;
    if (id === STATE_PACKET) this.#firstOwn ??= isStatePatch(bytes.subarray(start, end));
    if (size <= 2 || id > 24) return;
    if (id === POSITION || id === KINEMATICS || id === BOUNDING_BOX || id === TRIGGER_VOLUME) {
      if (this.#scalar === null) this.#seeVectors(bytes, start, size);
      if (id === POSITION && this.#hasProps === null) this.#seePositions(bytes, start, size);
    } else if (id === EVENT_ADD) this.#seeActors(bytes, start, end);
    else if (id === PHYSICS_CONTROL) {
      if (this.#wheels.length === 1) return;
      const total = bytes[start]! | (bytes[start + 1]! << 8);
      const fitting = wheelWidths(() => new ByteCursor(bytes, start + 2, end), total);
      const both = this.#wheels.filter((wheel) => fitting.some((other) => other === wheel));
      if (both.length > 0 || this.#wheels.length === 0) this.#wheels = both.length > 0 ? both : fitting;
    } else if (id > VISUAL_TIME) this.#seeLate(id - 21, bytes, start, end);
  }

  result(): Dialect {
    const scalar = this.#scalar ?? this.#guessedScalar ?? (this.#wheels[0] === 208 ? 8 : 4);
    return { scalar, wheel: this.#wheels[0] ?? null, late: this.#lateKinds(), version: this.#version };
  }

  /** An estimate only (spec §6.5). */
  release(): string {
    const has = (id: number): boolean => (this.#seen & (1 << id)) !== 0;
    const { scalar, late } = this.result();
    if (scalar === 8) return has(24) ? "UE5, 2026" : "0.10 (UE5)";
    if (has(24)) return "2026 (UE4)";
    if (this.#version >= 2) return "0.9.16 or later";
    if (has(21)) return late[0] === "vehicle-door" ? "development builds of 2023 to 2025" : "0.9.15";
    if (has(VISUAL_TIME)) return "0.9.14";
    if (this.#hasTypeFive || this.#wheels[0] === 48) return "0.9.12 or 0.9.13";
    if (has(VEHICLE_LIGHT)) return this.#earlyRelease();
    return has(ANIM_VEHICLE) ? "0.9.6 to 0.9.9" : "0.9.4 or 0.9.5";
  }

  /** Of a file that has vehicle lights and nothing that came after 0.9.11. */
  #earlyRelease(): string {
    const isOld = this.#wheels.length === 1 && this.#wheels[0] === 36;
    if (this.#hasProps === null) return isOld ? "0.9.10 or 0.9.11" : "0.9.10 to 0.9.13";
    if (this.#hasProps) return isOld ? "0.9.11" : "0.9.11 to 0.9.13";
    return "0.9.10";
  }

  #seeVectors(bytes: Uint8Array, start: number, size: number): void {
    const total = bytes[start]! | (bytes[start + 1]! << 8);
    if (total === 0) return;
    const width = (size - 2) / total;
    if (width === 28) this.#scalar = 4;
    else if (width === 52) this.#scalar = 8;
  }

  #seeActors(bytes: Uint8Array, start: number, end: number): void {
    for (const scalar of [4, 8] as const) {
      const cursor = new ByteCursor(bytes, start, end);
      const dialect: Dialect = { scalar, wheel: null, late: [null, null, null, null], version: this.#version };
      try {
        const total = cursor.u16le();
        let isPrintable = true;
        let hasTypeFive = false;
        const props = new Set<number>();
        for (let i = 0; i < total; i++) {
          const actor = readEventAdd(cursor, dialect);
          isPrintable &&= /^[\x20-\x7e]+$/.test(actor.blueprint);
          hasTypeFive ||= actor.type === 5;
          if (actor.type === 0 && !actor.blueprint.startsWith("sensor.")) props.add(actor.id);
        }
        if (cursor.remaining > 0 || !isPrintable) continue;
        this.#guessedScalar ??= scalar;
        this.#hasTypeFive ||= hasTypeFive;
        this.#props ??= props;
        return;
      } catch (error) {
        if (!(error instanceof LayoutError)) throw error;
      }
    }
  }

  #seePositions(bytes: Uint8Array, start: number, size: number): void {
    if (this.#props === null || this.#props.size === 0) return;
    const view = new DataView(bytes.buffer, bytes.byteOffset + start, size);
    const total = view.getUint16(0, true);
    if (total === 0 || (size - 2) % total !== 0) return;
    const width = (size - 2) / total;
    if (width < 4) return;
    this.#hasProps = false;
    for (let n = 0; n < total && !this.#hasProps; n++) {
      this.#hasProps = this.#props.has(view.getUint32(2 + n * width, true));
    }
    this.#props.clear();
  }

  #seeLate(place: number, bytes: Uint8Array, start: number, end: number): void {
    const size = end - start - 2;
    const total = bytes[start]! | (bytes[start + 1]! << 8);
    const late = this.#late[place]!;
    late.packets++;
    LATE_KINDS.forEach((kind, k) => {
      if (fits(kind, bytes, start + 2, size, total)) late.fitting[k]!++;
    });
  }

  /** Kinds that fit the packets of a late id; null when it has none with records. A few may be damaged. */
  #kindsAt(place: number): readonly LateKind[] | null {
    const { packets, fitting } = this.#late[place]!;
    if (packets === 0) return null;
    const most = Math.max(...fitting);
    if (most === 0 || packets - most > Math.max(1, packets / 10)) return [];
    return LATE_KINDS.filter((_, k) => fitting[k] === most);
  }

  #lateKinds(): Dialect["late"] {
    const kinds = LATE_KINDS.map((_, place) => this.#kindsAt(place));
    const certain = kinds.map((fitting) => (fitting?.length === 1 ? fitting[0]! : null));
    const has = (place: number): boolean => (this.#seen & (1 << (21 + place))) !== 0;
    const maps = (["A", "C", "B"] as const).filter((name) =>
      MAPS[name].every((kind, place) => {
        if (kind === null) return !has(place);
        const fitting = kinds[place] ?? null;
        return fitting === null || fitting.includes(kind as LateKind);
      }),
    );
    const map = maps.length === 0 ? null : MAPS[maps[0]!];
    const result = certain.map((kind, place) => kind ?? (map !== null && has(place) ? map[place]! : null));
    return [result[0]!, result[1]!, result[2]!, result[3]!];
  }
}

function fits(kind: LateKind, bytes: Uint8Array, start: number, size: number, total: number): boolean {
  switch (kind) {
    case "vehicle-door":
      return size === total * 6;
    case "biker":
      return size === total * 12;
    case "weather":
      return size === total * 56;
    case "vehicle-wheels": {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const end = start + size;
      let at = start;
      for (let i = 0; i < total; i++) {
        if (at + 8 > end) return false;
        at += 8 + 9 * view.getUint32(at + 4, true);
        if (at > end) return false;
      }
      return at === end;
    }
    default:
      return kind satisfies never;
  }
}
