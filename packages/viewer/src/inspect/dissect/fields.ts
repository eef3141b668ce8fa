/** A part of a record that means something. */
export interface Field {
  readonly name: string;
  /** Bytes `[start, end)` of the record. */
  readonly start: number;
  readonly end: number;
  /** What it says, as text. */
  readonly text: string;
  /** `frame`: of the format's own framing; `payload`: a message's bytes; `value`: a part of them. */
  readonly role: "frame" | "payload" | "value";
}

/** Fields that are named; what is behind them is one. */
const MOST = 5000;
const TEXT = new TextDecoder();

/** Goes over a record from its beginning and names what it passes. Throws `RangeError` behind its end. */
export class Fields {
  readonly all: Field[] = [];
  readonly bytes: Uint8Array;
  readonly isLittle: boolean;
  at = 0;
  /** Of the fields that follow. */
  role: Field["role"] = "frame";
  readonly #view: DataView;

  constructor(bytes: Uint8Array, isLittle = true) {
    this.bytes = bytes;
    this.isLittle = isLittle;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  u8(name: string): number {
    return this.#number(name, 1, this.#view.getUint8(this.at));
  }

  u16(name: string): number {
    return this.#number(name, 2, this.#view.getUint16(this.at, this.isLittle));
  }

  u32(name: string): number {
    return this.#number(name, 4, this.#view.getUint32(this.at, this.isLittle));
  }

  i32(name: string): number {
    return this.#number(name, 4, this.#view.getInt32(this.at, this.isLittle));
  }

  f32(name: string): number {
    return this.#number(name, 4, this.#view.getFloat32(this.at, this.isLittle));
  }

  f64(name: string): number {
    return this.#number(name, 8, this.#view.getFloat64(this.at, this.isLittle));
  }

  u64(name: string): number {
    const value = this.#view.getBigUint64(this.at, this.isLittle);
    this.add(name, 8, String(value));
    return Number(value);
  }

  i64(name: string): number {
    const value = this.#view.getBigInt64(this.at, this.isLittle);
    this.add(name, 8, String(value));
    return Number(value);
  }

  text(name: string, length: number): string {
    if (length > this.left) throw new RangeError(`${name} is longer than the record`);
    const text = TEXT.decode(this.bytes.subarray(this.at, this.at + length));
    this.add(name, length, text.length > 80 ? `${text.slice(0, 79)}…` : text);
    return text;
  }

  raw(name: string, length: number): void {
    this.add(name, length, `${length} bytes`);
  }

  payload(name: string, length: number): void {
    this.#as("payload", () => this.raw(name, length));
  }

  /** Names what `read` passes as parts of a payload. */
  values(read: () => void): void {
    this.#as("value", read);
  }

  add(name: string, length: number, text: string): void {
    if (length > this.left || length < 0) throw new RangeError(`${name} is longer than the record`);
    const field = { name, start: this.at, end: this.at + length, text, role: this.role };
    this.at += length;
    if (length > 0 && this.all.length < MOST) this.all.push(field);
  }

  #as(role: Field["role"], read: () => void): void {
    const before = this.role;
    this.role = role;
    try {
      read();
    } finally {
      this.role = before;
    }
  }

  #number(name: string, length: number, value: number): number {
    this.add(name, length, String(Number.isInteger(value) ? value : Number(value.toPrecision(9))));
    return value;
  }
}
