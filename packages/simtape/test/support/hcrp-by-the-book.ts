/*
 * Reads compacted HCRP 1 by the text of its specification and nothing of src/: what another program sees that passes over
 * every event which the specification lets it pass over. zstd is given.
 */

/** One frame, inflated. */
export type Inflate = (frame: Uint8Array, size: number) => Uint8Array;

const text = new TextDecoder();

class Bytes {
  at = 0;
  readonly view: DataView;
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.bytes.length - this.at;
  }
  u8(): number {
    return this.view.getUint8(this.at++);
  }
  u16(): number {
    this.at += 2;
    return this.view.getUint16(this.at - 2);
  }
  u32(): number {
    this.at += 4;
    return this.view.getUint32(this.at - 4);
  }
  f32(): number {
    this.at += 4;
    return this.view.getFloat32(this.at - 4);
  }
  f64(): number {
    this.at += 8;
    return this.view.getFloat64(this.at - 8);
  }
  varLong(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.u8();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }
  varInt(): number {
    return Number(this.varLong());
  }
  zigzag(): number {
    const value = this.varLong();
    return Number((value >> 1n) ^ -(value & 1n));
  }
  take(length: number): Uint8Array {
    if (length > this.left) throw new Error(`${length} bytes at ${this.at}, ${this.left} are left`);
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
  sized(): Uint8Array {
    return this.take(this.varInt());
  }
  uuid(): string {
    return Buffer.from(this.take(16)).toString("hex");
  }
}

interface Body {
  q: number[];
  d: number[];
  exact: number[] | null;
  yaw: number;
  pitch: number;
  head: number;
  ground: number;
  type: string;
  uuid: string;
  name: string;
  pose: number;
  flags: number;
  held: number;
  use: number;
  vitals: readonly number[] | null;
  view: readonly number[] | null;
  seat: number | null;
  items: Map<number, string>;
  effects: Map<string, string>;
  data: Map<number, string>;
}

/** What holds at a tick, to be compared as JSON. */
export type BookState = {
  readonly bodies: Readonly<Record<number, unknown>>;
  readonly blocks: Readonly<Record<string, string>>;
  readonly world: readonly (number | null)[];
};

interface Entry {
  readonly start: number;
  readonly ticks: number;
  readonly hasSnapshot: boolean;
  readonly raw: Uint8Array;
}

export class BookReader {
  /** Bytes of header and metadata, and inflated ones of every chunk. */
  readonly metadata: Uint8Array;
  readonly chunks: readonly Entry[];
  readonly ticks: number;
  /** Types of sized events, with how many there are. */
  readonly passed = new Map<number, number>();
  #palettes: string[][] = [];
  #bodies = new Map<number, Body>();
  #blocks = new Map<string, string>();
  #block = [0, 0, 0];
  #time: number | null = null;
  #weather: number | null = null;
  #isSkipping = false;

  private constructor(metadata: Uint8Array, chunks: readonly Entry[], ticks: number) {
    this.metadata = metadata;
    this.chunks = chunks;
    this.ticks = ticks;
  }

  static open(bytes: Uint8Array, inflate: Inflate): BookReader {
    const file = new Bytes(bytes);
    if (text.decode(file.take(4)) !== "HCRP" || file.u8() !== 1) throw new Error("not HCRP 1");
    file.at = 49;
    const [metadataLength, indexLength, ticks, count] = [file.u32(), file.u32(), file.u32(), file.u32()];
    const index = new Bytes(bytes.subarray(256 + metadataLength, 256 + metadataLength + indexLength));
    const chunks: Entry[] = [];
    for (let i = 0; i < count; i++) {
      const [start, length, flags] = [index.varInt(), index.varInt(), index.u8()];
      const offset = index.u32() * 2 ** 32 + index.u32();
      const [packed, size] = [index.varInt(), index.varInt()];
      const raw = size === 0 ? new Uint8Array(0) : inflate(bytes.subarray(offset, offset + packed), size);
      if (raw.length !== size) throw new Error(`chunk ${i}: ${raw.length} bytes, ${size} are reported`);
      chunks.push({ start, ticks: length, hasSnapshot: flags === 1, raw: raw.slice() });
    }
    return new BookReader(bytes.slice(0, 256 + metadataLength), chunks, ticks);
  }

  /** The state behind each tick, in order. */
  *states(): Generator<BookState> {
    for (const { start, ticks, hasSnapshot, raw } of this.chunks) {
      const chunk = new Bytes(raw);
      this.#palettes = [];
      this.#block = [0, 0, 0];
      for (const body of this.#bodies.values()) body.d = [0, 0, 0];
      const snapshot = hasSnapshot ? chunk.sized() : null;
      this.#collect(snapshot, chunk.at, raw);
      if (snapshot !== null) this.#load(new Bytes(snapshot));
      let next = chunk.left > 0 ? chunk.varInt() : -1;
      for (let tick = 0; tick < ticks; tick++) {
        while (next === tick) {
          for (let left = chunk.u16(); left > 0; left--) this.#event(chunk);
          next = chunk.left > 0 ? chunk.varInt() : -1;
        }
        yield this.#state();
      }
      if (next !== -1) throw new Error(`a record of tick ${next} in the chunk at ${start}`);
    }
  }

  /** An index means the same in the whole chunk: what events add holds for those before, too. */
  #collect(snapshot: Uint8Array | null, at: number, raw: Uint8Array): void {
    if (snapshot !== null) {
      const sections = new Bytes(snapshot);
      while (sections.left > 0) {
        const type = sections.varInt();
        const body = new Bytes(sections.sized());
        for (let kind = 0; type === 0 && body.left > 0; kind++)
          for (let left = body.varInt(); left > 0; left--) this.#add(kind, body.sized());
      }
    }
    const events = new Bytes(raw);
    events.at = at;
    while (events.left > 0) {
      events.varInt();
      for (let left = events.u16(); left > 0; left--) this.#skip(events);
    }
  }

  #add(kind: number, entry: Uint8Array): void {
    while (this.#palettes.length <= kind) this.#palettes.push([]);
    this.#palettes[kind]!.push(text.decode(entry));
  }

  #name(kind: number, index: number): string {
    if (index === 0 || this.#isSkipping) return "";
    const name = this.#palettes[kind]?.[index - 1];
    if (name === undefined) throw new Error(`palette ${kind} has no entry ${index}`);
    return name;
  }

  #load(sections: Bytes): void {
    this.#bodies = new Map();
    this.#blocks = new Map();
    this.#time = null;
    this.#weather = null;
    while (sections.left > 0) {
      const type = sections.varInt();
      const section = new Bytes(sections.sized());
      if (type === 1) this.#entities(section);
      else if (type === 2) {
        const at = [0, 0, 0];
        for (let left = section.varInt(); left > 0; left--) {
          for (let k = 0; k < 3; k++) at[k]! += section.zigzag();
          this.#set(at, section.varInt());
        }
      } else if (type === 3) for (let left = section.varInt(); left > 0; left--) this.#items(section);
      else if (type === 4) this.#world(section);
      else if (type === 7) for (let left = section.varInt(); left > 0; left--) this.#data(section);
    }
  }

  #entities(section: Bytes): void {
    try {
      this.#list(section, true);
      if (section.left === 0) return;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
    }
    section.at = 0;
    this.#bodies.clear();
    this.#list(section, false);
  }

  #list(section: Bytes, isLong: boolean): void {
    for (let left = section.varInt(); left > 0; left--) {
      const id = section.varInt();
      const body = fresh();
      if (isLong) body.type = this.#name(2, section.varInt());
      place(body, section);
      if (isLong) {
        [body.pose, body.flags, body.held, body.use] = [section.u8(), section.u8(), section.u8(), section.u8()];
        this.#identity(body, section);
      }
      this.#bodies.set(id, body);
    }
  }

  #identity(body: Body, bytes: Bytes): void {
    const has = bytes.u8();
    if (has > 3) throw new Error("identity");
    if ((has & 1) !== 0) body.uuid = bytes.uuid();
    if ((has & 2) !== 0) body.name = this.#name(6, bytes.varInt());
  }

  #set(at: readonly number[], block: number): void {
    if (block === 0) this.#blocks.delete(at.join());
    else this.#blocks.set(at.join(), this.#name(0, block));
  }

  #items(bytes: Bytes): void {
    const items = this.#bodies.get(bytes.varInt())?.items;
    for (let left = bytes.varInt(); left > 0; left--) {
      const [slot, item] = [bytes.varInt(), bytes.varInt()];
      if (item === 0) items?.delete(slot);
      else items?.set(slot, this.#name(1, item));
    }
  }

  #data(bytes: Bytes): void {
    const data = this.#bodies.get(bytes.varInt())?.data;
    for (let left = bytes.varInt(); left > 0; left--) {
      const index = bytes.u8();
      data?.set(index, Buffer.from(bytes.sized()).toString("hex"));
    }
  }

  #world(bytes: Bytes): void {
    const bits = bytes.u8();
    if ((bits & 1) !== 0) this.#time = bytes.varInt();
    if ((bits & 2) !== 0) this.#weather = bytes.u8();
  }

  /** Moves behind an event; only what it adds to palettes counts. */
  #skip(bytes: Bytes): void {
    const type = bytes.varInt();
    if (type >= 32) {
      this.passed.set(type, (this.passed.get(type) ?? 0) + 1);
      bytes.sized();
    } else if (type === 12) this.#add(bytes.u8(), bytes.sized());
    else {
      const kept = [this.#bodies, this.#blocks, this.#block, this.#time, this.#weather] as const;
      [this.#bodies, this.#blocks, this.#block] = [new Map(), new Map(), [0, 0, 0]];
      // names may come later
      this.#isSkipping = true;
      this.#core(type, bytes);
      this.#isSkipping = false;
      [this.#bodies, this.#blocks, this.#block, this.#time, this.#weather] = [...kept];
    }
  }

  #event(bytes: Bytes): void {
    const type = bytes.varInt();
    if (type >= 32) bytes.sized();
    else this.#core(type, bytes);
  }

  #core(type: number, bytes: Bytes): void {
    const bodies = this.#bodies;
    switch (type) {
      case 0: {
        const body = bodies.get(bytes.varInt()) ?? fresh();
        const mask = bytes.u8();
        for (let k = 0; k < 3; k++) if ((mask & (1 << k)) !== 0) body.d[k]! += bytes.zigzag();
        for (let k = 0; k < 3; k++) body.q[k]! += body.d[k]!;
        if (body.d.some((part) => part !== 0)) body.exact = null;
        if ((mask & 8) !== 0) body.yaw = (body.yaw + bytes.zigzag()) & 0xffff;
        if ((mask & 16) !== 0) body.pitch = (body.pitch + bytes.zigzag()) & 0xffff;
        body.ground = (mask >> 5) & 1;
        if ((mask & 64) !== 0) body.head = (body.head + bytes.zigzag()) & 0xffff;
        return;
      }
      case 1: {
        const id = bytes.varInt();
        const body = bodies.get(id) ?? fresh();
        bodies.set(id, body);
        place(body, bytes);
        return;
      }
      case 2: {
        const body = bodies.get(bytes.varInt()) ?? fresh();
        [body.pose, body.flags] = [bytes.u8(), bytes.u8()];
        return;
      }
      case 3:
        bytes.varInt();
        bytes.u8();
        return;
      case 4:
        (bodies.get(bytes.varInt()) ?? fresh()).use = bytes.u8();
        return;
      case 5:
        this.#items(bytes);
        return;
      case 6:
        (bodies.get(bytes.varInt()) ?? fresh()).held = bytes.u8();
        return;
      case 7:
        for (let k = 0; k < 3; k++) this.#block[k]! += bytes.zigzag();
        this.#set(this.#block, bytes.varInt());
        return;
      case 8: {
        const section = [bytes.zigzag(), bytes.zigzag(), bytes.zigzag()];
        for (let left = bytes.varInt(); left > 0; left--) {
          const packed = bytes.varInt();
          const inside = [packed & 15, (packed >>> 8) & 15, (packed >>> 4) & 15];
          this.#set(
            section.map((part, k) => part * 16 + inside[k]!),
            packed >>> 12,
          );
        }
        return;
      }
      case 9: {
        const id = bytes.varInt();
        const body = fresh();
        body.type = this.#name(2, bytes.varInt());
        place(body, bytes);
        this.#identity(body, bytes);
        this.#leave(id);
        bodies.set(id, body);
        return;
      }
      case 10:
        for (let left = bytes.varInt(); left > 0; left--) this.#leave(bytes.varInt());
        return;
      case 11:
        bytes.varInt();
        lowVector(bytes);
        return;
      case 12:
        bytes.u8();
        bytes.sized();
        return;
      case 13:
        this.#data(bytes);
        return;
      case 14: {
        const id = bytes.varInt();
        const body = bodies.get(id) ?? fresh();
        bodies.set(id, body);
        body.uuid = bytes.uuid();
        body.name = this.#name(6, bytes.varInt());
        return;
      }
      case 15:
        this.#leave(bytes.varInt());
        return;
      case 16:
        bytes.u8();
        bytes.varInt();
        this.#name(5, bytes.varInt());
        return;
      case 17:
        this.#name(3, bytes.varInt());
        for (let k = 0; k < 3; k++) bytes.zigzag();
        bytes.take(3);
        return;
      case 18:
        this.#name(4, bytes.varInt());
        for (let k = 0; k < 3; k++) bytes.zigzag();
        bytes.varInt();
        bytes.take(3);
        return;
      case 19: {
        const body = bodies.get(bytes.varInt()) ?? fresh();
        const effect = this.#name(5, bytes.varInt());
        const [amplifier, ticks] = [bytes.u8(), bytes.varInt()];
        if (ticks === 0) body.effects.delete(effect);
        else body.effects.set(effect, `${amplifier} ${ticks}`);
        return;
      }
      case 20:
        (bodies.get(bytes.varInt()) ?? fresh()).vitals = [bytes.u8(), bytes.u8(), bytes.varInt()];
        return;
      case 21:
        this.#world(bytes);
        return;
      case 22:
        (bodies.get(bytes.varInt()) ?? fresh()).view = [bytes.u8(), bytes.varInt()];
        return;
      case 23: {
        const vehicle = bytes.varInt();
        for (const body of bodies.values()) if (body.seat === vehicle) body.seat = null;
        for (let left = bytes.varInt(); left > 0; left--) (bodies.get(bytes.varInt()) ?? fresh()).seat = vehicle;
        return;
      }
      case 24:
        bytes.varInt();
        bytes.varInt();
        bytes.u8();
        return;
      case 25: {
        const id = bytes.varInt();
        const body = bodies.get(id) ?? fresh();
        const isNew = !bodies.has(id);
        bodies.set(id, body);
        body.exact = [bytes.f64(), bytes.f64(), bytes.f64()];
        if (isNew) body.q = body.exact.map((part) => Math.round(part * 4096));
        bytes.f32();
        bytes.f32();
        bytes.take(24);
        return;
      }
      case 26:
        this.#blocks.clear();
        return;
      case 27:
        bytes.u8();
        bytes.varInt();
        this.#name(5, bytes.varInt());
        bytes.u8();
        return;
      default:
        throw new Error(`event ${type} is not known`);
    }
  }

  #leave(id: number): void {
    this.#bodies.delete(id);
    for (const body of this.#bodies.values()) if (body.seat === id) body.seat = null;
  }

  #state(): BookState {
    const bodies: Record<number, unknown> = {};
    for (const id of [...this.#bodies.keys()].sort((a, b) => a - b)) {
      const { q, d: _, exact, items, effects, data, ...rest } = this.#bodies.get(id)!;
      const position = exact ?? q.map((part) => part / 4096);
      bodies[id] = { ...rest, position, items: sorted(items), effects: sorted(effects), data: sorted(data) };
    }
    return { bodies, blocks: sorted(this.#blocks), world: [this.#time, this.#weather] };
  }
}

function sorted<K extends string | number>(map: ReadonlyMap<K, string>): Record<string, string> {
  const entries = [...map].map(([key, value]) => [String(key), value] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function fresh(): Body {
  return {
    q: [0, 0, 0],
    d: [0, 0, 0],
    exact: null,
    yaw: 0,
    pitch: 0,
    head: 0,
    ground: 0,
    type: "",
    uuid: "",
    name: "",
    pose: 0,
    flags: 0,
    held: 0,
    use: 0,
    vitals: null,
    view: null,
    seat: null,
    items: new Map(),
    effects: new Map(),
    data: new Map(),
  };
}

function place(body: Body, bytes: Bytes): void {
  body.q = [bytes.zigzag(), bytes.zigzag(), bytes.zigzag()];
  body.d = [0, 0, 0];
  body.exact = null;
  [body.yaw, body.pitch, body.head] = [bytes.u16(), bytes.u16(), 0];
  body.ground = bytes.u8() & 1;
}

function lowVector(bytes: Bytes): void {
  const first = bytes.u8();
  if (first === 0) return;
  bytes.take(5);
  if ((first & 4) !== 0) bytes.varInt();
}
