import { ByteBuilder } from "../../../bytes/builder.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import type { Lost } from "../../../model/writer.ts";
import { NO_ACTOR, type PacketKind } from "../layout/layout.ts";
import { readPhysicsControl, writePhysicsControl } from "../layout/physics.ts";
import type { Release } from "./releases.ts";
import { CARRIED_CHANNEL, carriedIn, carrying } from "./carried-packet.ts";
import { Narrowing, narrowed, widened } from "./vector-width.ts";

/** Packets with Unreal's vectors: their numbers are f32 in UE4 and f64 in UE5 (spec §5). */
const VECTORS: ReadonlySet<PacketKind> = new Set<PacketKind>([
  "event-add",
  "position",
  "kinematics",
  "bounding-box",
  "trigger-volume",
  "walker-bones",
]);
const TRAFFIC_SIGN = 4;
const SENSOR = 5;
/** Attribute types of version 1, and what stands in front of them in version 2 (spec §4.2). */
const [STRING, NULL] = [3, 0];

/** A packet as the target has it. */
export interface Translated {
  readonly kind: string;
  readonly payload: Uint8Array;
}

/**
 * Packets of one release as another writes them: vectors of its width, its attribute and actor types, its wheels, its
 * word for no actor. What it has no room for is counted. Physics control of the other engine goes along in a packet of
 * simtape's own, and comes back where it fits.
 */
export class Translation {
  readonly #from: Release;
  readonly #to: Release;
  readonly #narrowing = new Narrowing();
  readonly #lost = new Map<string, { path: string; reason: string; count: number }>();

  constructor(from: Release, to: Release) {
    this.#from = from;
    this.#to = to;
  }

  /** Complete when everything was translated. */
  get lost(): readonly Lost[] {
    return [...this.#lost.values(), ...this.#narrowing.lost()];
  }

  /** Greatest error of a number in parts of it. */
  get rounding(): number {
    return this.#narrowing.isExact ? 0 : 2 ** -23;
  }

  /** Whether packets of that kind differ at all. */
  differs(kind: string): boolean {
    const [from, to] = [this.#from, this.#to];
    const isWider = from.dialect.scalar !== to.dialect.scalar;
    switch (kind) {
      case "event-add":
        return (
          isWider ||
          from.dialect.version >= 2 !== to.dialect.version >= 2 ||
          from.sensorType !== to.sensorType ||
          hasSigns(from) !== hasSigns(to)
        );
      case "collision":
        return from.noActor !== to.noActor;
      case "physics-control":
        return from.dialect.wheel !== to.dialect.wheel;
      case CARRIED_CHANNEL:
        return true;
      default:
        return isWider && VECTORS.has(kind as PacketKind);
    }
  }

  /** Null: there is no room for it, which is counted. */
  packet(kind: string, payload: Uint8Array): Translated | null {
    try {
      return this.#packet(kind, payload);
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
      this.#lose(kind, `packets that do not decode cannot be translated to CARLA ${this.#to.name}`);
      return null;
    }
  }

  #packet(kind: string, payload: Uint8Array): Translated | null {
    switch (kind) {
      case "event-add":
        return { kind, payload: this.#list(payload, (cursor, out) => this.#eventAdd(cursor, out)) };
      case "collision":
        return { kind, payload: this.#list(payload, (cursor, out) => this.#collision(cursor, out)) };
      case "walker-bones":
        return { kind, payload: this.#list(payload, (cursor, out) => this.#bones(cursor, out)) };
      case "physics-control":
        return this.#physics(payload);
      case CARRIED_CHANNEL: {
        const carried = carriedIn(payload);
        const isOurs = carried !== null && carried.wheel === this.#to.dialect.wheel;
        return isOurs ? { kind: carried.kind, payload: carried.payload } : { kind, payload };
      }
      default:
        return {
          kind,
          payload: this.#list(payload, (cursor, out) => {
            out.u32le(cursor.u32le());
            this.#numbers(cursor, out, 6, kind);
          }),
        };
    }
  }

  /** `u16 total`, then the records; one of more than 65,535 says a smaller total (spec §3). */
  #list(payload: Uint8Array, record: (cursor: ByteCursor, out: ByteBuilder) => void): Uint8Array {
    const cursor = new ByteCursor(payload);
    const total = cursor.u16le();
    const out = new ByteBuilder(payload.length * 2).u16le(total);
    for (let i = 0; i < total || cursor.remaining > 65535; i++) record(cursor, out);
    if (cursor.remaining === 0) return out.take();
    throw new LayoutError("malformed", `${cursor.remaining} bytes are left over`, cursor.offset);
  }

  /** `count` numbers of Unreal's vectors. */
  #numbers(cursor: ByteCursor, out: ByteBuilder, count: number, path: string): void {
    const [from, to] = [this.#from.dialect.scalar, this.#to.dialect.scalar];
    const bytes = cursor.view(count * from);
    if (from === to) out.raw(bytes);
    else if (from === 4) out.raw(widened(bytes));
    else out.raw(narrowed(bytes, path, this.#narrowing));
  }

  #eventAdd(cursor: ByteCursor, out: ByteBuilder): void {
    const { version } = this.#to.dialect;
    const isLater = version >= 2 !== this.#from.dialect.version >= 2;
    out.u32le(cursor.u32le());
    const typeAt = out.length;
    const type = cursor.u8();
    out.u8(type);
    this.#numbers(cursor, out, 6, "event-add");
    out.u32le(cursor.u32le());
    const blueprint = this.#string(cursor, out);
    out.patch(typeAt, Uint8Array.of(this.#typeOf(type, blueprint)));
    const attributes = cursor.u16le();
    out.u16le(attributes);
    for (let i = 0; i < attributes; i++) {
      const attribute = cursor.u8();
      if (!isLater) out.u8(attribute);
      else if (version >= 2) out.u8(attribute + 1);
      else if (attribute !== NULL) out.u8(attribute - 1);
      else {
        out.u8(STRING);
        this.#lose("event-add", `attributes without a type are texts in CARLA ${this.#to.name}`);
      }
      this.#string(cursor, out);
      this.#string(cursor, out);
    }
  }

  /** Sensors and traffic signs have a type of their own, or are of the type of everything else (spec §4.2). */
  #typeOf(type: number, blueprint: string): number {
    const isSensor = blueprint.startsWith("sensor.");
    if (type === SENSOR || (type === 0 && isSensor)) return isSensor ? this.#to.sensorType : type;
    if (type !== TRAFFIC_SIGN || hasSigns(this.#to)) return type;
    this.#lose("event-add", `CARLA ${this.#to.name} has no traffic signs: they are of the type of everything else`);
    return 0;
  }

  /** The text is copied as its bytes are. */
  #string(cursor: ByteCursor, out: ByteBuilder): string {
    const length = cursor.u16le();
    const bytes = cursor.view(length);
    out.u16le(length).raw(bytes);
    return new TextDecoder().decode(bytes);
  }

  #collision(cursor: ByteCursor, out: ByteBuilder): void {
    const [number, first, second] = [cursor.u32le(), cursor.u32le(), cursor.u32le()];
    const isNoActor = second === NO_ACTOR || second === 0;
    out.u32le(number).u32le(first);
    out.u32le(isNoActor ? this.#to.noActor : second);
    out.raw(cursor.view(2));
  }

  #bones(cursor: ByteCursor, out: ByteBuilder): void {
    out.u32le(cursor.u32le());
    const bones = cursor.u16le();
    out.u16le(bones);
    for (let i = 0; i < bones; i++) {
      this.#string(cursor, out);
      this.#numbers(cursor, out, 6, "walker-bones");
    }
  }

  /** Wheels lose their stiffness where there is no room for it; elsewhere the whole packet goes along as it is. */
  #physics(payload: Uint8Array): Translated | null {
    const kind = "physics-control";
    const { wheel } = this.#from.dialect;
    const to = this.#to.dialect.wheel;
    const total = new ByteCursor(payload).u16le();
    if (total === 0) return { kind, payload };
    if (wheel === 48 && to === 36) {
      const shorter = this.#list(payload, (cursor, out) => {
        const { wheels, ...control } = readPhysicsControl(cursor, 48);
        writePhysicsControl(out, { ...control, wheels: wheels.map((of) => ({ ...of, stiffness: null })) });
      });
      this.#lose(kind, `CARLA ${this.#to.name} has no stiffness of wheels`, total);
      return { kind, payload: shorter };
    }
    const why =
      wheel === 36 && to === 48 ? "has stiffness of wheels, which is not known" : "has other quantities in its place";
    this.#lose(kind, `CARLA ${this.#to.name} ${why}; it goes along as ${CARRIED_CHANNEL}, which CARLA skips`, total);
    return { kind: CARRIED_CHANNEL, payload: carrying(wheel!, payload) };
  }

  #lose(path: string, reason: string, count = 1): void {
    const key = `${path}\0${reason}`;
    const found = this.#lost.get(key);
    if (found === undefined) this.#lost.set(key, { path, reason, count });
    else found.count += count;
  }
}

/** Type 4 is none before 0.9.10, which has triggers (spec §4.2, §7). */
function hasSigns({ until }: Release): boolean {
  return until >= 17;
}
