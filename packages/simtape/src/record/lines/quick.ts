const [QUOTE, COMMA, MINUS, DOT, ZERO, NINE] = [0x22, 0x2c, 0x2d, 0x2e, 0x30, 0x39];
const [CLOSE, BACKSLASH, BRACE, OPEN_BRACE, OPEN, SPACE] = [0x5d, 0x5c, 0x7d, 0x7b, 0x5b, 0x20];
/** Powers of ten that are doubles, exactly. */
const POWERS = Float64Array.from({ length: 21 }, (_, power) => 10 ** power);
/** Ids that are kept as text. */
const MOST_IDS = 4096;

const [TICK, MOVE, ID, AT, LOOK, HEAD, ON_GROUND, TRUE, FALSE] = [
  '{"tick":',
  '{"move":',
  '"id":',
  '"at":',
  '"look":',
  '"head":',
  '"onGround":',
  "true",
  "false",
].map((text) => new TextEncoder().encode(text)) as [
  tick: Uint8Array,
  move: Uint8Array,
  id: Uint8Array,
  at: Uint8Array,
  look: Uint8Array,
  head: Uint8Array,
  onGround: Uint8Array,
  true_: Uint8Array,
  false_: Uint8Array,
];

/**
 * Reads ticks and moves, which are most of all lines, from their bytes, where they are written as `JSON.stringify` or
 * Python's `json.dumps` do, and without escapes and exponents. Everything else, and everything wrong, is left to who reads all of JSON.
 * Numbers may differ from those of JSON in the last bits of a double, which is far below the grid that places go to.
 */
export class QuickLine {
  /** What a move says; NaN and null: nothing. */
  id: string | number = "";
  x: number = Number.NaN;
  y: number = Number.NaN;
  z: number = Number.NaN;
  yaw: number = Number.NaN;
  pitch: number = Number.NaN;
  head: number = Number.NaN;
  onGround: boolean | null = null;
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;
  #ids = new Map<number, { readonly bytes: Uint8Array; readonly text: string }>();

  /** The tick that a line tells, -1 for any other line. */
  tick(line: Uint8Array): number {
    this.#start(line);
    if (!this.#take(TICK)) return -1;
    const tick = this.#number();
    return Number.isInteger(tick) && tick >= 0 && this.#isLast(1) ? tick : -1;
  }

  /** Whether it is a move; its fields are read then. */
  move(line: Uint8Array): boolean {
    this.#start(line);
    if (!this.#take(MOVE) || !this.#take1(OPEN_BRACE) || !this.#take(ID) || !this.#readId()) return false;
    this.x = this.y = this.z = this.yaw = this.pitch = this.head = Number.NaN;
    this.onGround = null;
    while (this.#take1(COMMA)) if (!this.#field()) return false;
    return this.#isLast(2);
  }

  #start(line: Uint8Array): void {
    this.#bytes = line;
    this.#at = 0;
  }

  #field(): boolean {
    if (this.#take(AT)) {
      if (!this.#take1(OPEN)) return false;
      this.x = this.#number();
      if (!this.#take1(COMMA)) return false;
      this.y = this.#number();
      if (!this.#take1(COMMA)) return false;
      this.z = this.#number();
      return !Number.isNaN(this.x) && !Number.isNaN(this.y) && !Number.isNaN(this.z) && this.#take1(CLOSE);
    }
    if (this.#take(LOOK)) {
      if (!this.#take1(OPEN)) return false;
      this.yaw = this.#number();
      if (!this.#take1(COMMA)) return false;
      this.pitch = this.#number();
      return !Number.isNaN(this.yaw) && !Number.isNaN(this.pitch) && this.#take1(CLOSE);
    }
    if (this.#take(ON_GROUND)) {
      this.onGround = this.#take(TRUE) ? true : this.#take(FALSE) ? false : null;
      return this.onGround !== null;
    }
    if (!this.#take(HEAD)) return false;
    this.head = this.#number();
    return !Number.isNaN(this.head);
  }

  #take(text: Uint8Array): boolean {
    const bytes = this.#bytes;
    const at = this.#at;
    for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false;
    this.#at = at + text.length;
    // as some write behind a colon
    if (bytes[this.#at] === SPACE) this.#at++;
    return true;
  }

  #take1(byte: number): boolean {
    if (this.#bytes[this.#at] !== byte) return false;
    this.#at++;
    // and behind a comma
    if (byte === COMMA && this.#bytes[this.#at] === SPACE) this.#at++;
    return true;
  }

  /** So many braces, and nothing behind them. */
  #isLast(braces: number): boolean {
    for (let n = 0; n < braces; n++) if (!this.#take1(BRACE)) return false;
    return this.#at === this.#bytes.length;
  }

  /** NaN for what is none, and for one that is told in another way. */
  #number(): number {
    const bytes = this.#bytes;
    const isNegative = this.#take1(MINUS);
    const start = this.#at;
    let at = start;
    let value = 0;
    for (; bytes[at]! >= ZERO && bytes[at]! <= NINE; at++) value = value * 10 + (bytes[at]! - ZERO);
    const whole = at - start;
    if (whole === 0 || (whole > 1 && bytes[start] === ZERO)) return Number.NaN;
    let decimals = 0;
    if (bytes[at] === DOT) {
      const point = ++at;
      for (; bytes[at]! >= ZERO && bytes[at]! <= NINE; at++) value = value * 10 + (bytes[at]! - ZERO);
      decimals = at - point;
      if (decimals === 0) return Number.NaN;
    }
    if (whole + decimals > 20) return Number.NaN;
    this.#at = at;
    value /= POWERS[decimals]!;
    return isNegative ? -value : value;
  }

  #readId(): boolean {
    if (!this.#take1(QUOTE)) {
      this.id = this.#number();
      return Number.isSafeInteger(this.id);
    }
    const bytes = this.#bytes;
    const start = this.#at;
    let hash = 0;
    let at = start;
    for (; bytes[at] !== QUOTE; at++) {
      const byte = bytes[at];
      if (byte === undefined || byte === BACKSLASH || byte < 0x20 || byte > 0x7e) return false;
      hash = (Math.imul(hash, 31) + byte) | 0;
    }
    this.#at = at + 1;
    this.id = this.#text(hash, start, at);
    return true;
  }

  /** The text of an id, which is made once. */
  #text(hash: number, start: number, end: number): string {
    const bytes = this.#bytes;
    const known = this.#ids.get(hash);
    if (known !== undefined && known.bytes.length === end - start) {
      let at = 0;
      while (at < known.bytes.length && known.bytes[at] === bytes[start + at]) at++;
      if (at === known.bytes.length) return known.text;
    }
    const own = bytes.slice(start, end);
    const text = new TextDecoder().decode(own);
    if (this.#ids.size >= MOST_IDS) this.#ids.clear();
    this.#ids.set(hash, { bytes: own, text });
    return text;
  }
}
