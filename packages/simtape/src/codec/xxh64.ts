import { type Stripes, stripesOrNull } from "./xxh64-stripes.ts";

/** From this length on the call into WebAssembly pays. */
const WASM_FROM = 256;
let stripes: Stripes | null | undefined;

/**
 * The low 32 bits of XXH64 with seed 0: the content checksum of zstd frames (RFC 8878 §3.1.1).
 * 64-bit words are kept as two halves; no `bigint`. Long inputs go through WebAssembly where there is any.
 */
export function xxh64Low(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = bytes.length;
  let at = 0;
  if (length >= 32) {
    ACCUMULATORS.set(SEEDS);
    if (length >= WASM_FROM) {
      if (stripes === undefined) stripes = stripesOrNull();
      if (stripes !== null) at = foldStripes(stripes, bytes);
    }
    for (; at + 32 <= length; at += 32) {
      for (let lane = 0; lane < 4; lane++) {
        round(lane, view.getUint32(at + lane * 8 + 4, true), view.getUint32(at + lane * 8, true));
      }
    }
    high = 0;
    low = 0;
    for (let lane = 0; lane < 4; lane++) {
      const h = ACCUMULATORS[lane * 2]!;
      const l = ACCUMULATORS[lane * 2 + 1]!;
      const bits = ROTATIONS[lane]!;
      add((h << bits) | (l >>> (32 - bits)), (l << bits) | (h >>> (32 - bits)));
    }
    for (let lane = 0; lane < 4; lane++) {
      const h = high;
      const l = low;
      scramble(ACCUMULATORS[lane * 2]!, ACCUMULATORS[lane * 2 + 1]!);
      high = (high ^ h) >>> 0;
      low = (low ^ l) >>> 0;
      multiply(high, low, P1_HIGH, P1_LOW);
      add(P4_HIGH, P4_LOW);
    }
  } else {
    high = P5_HIGH;
    low = P5_LOW;
  }
  add(Math.floor(length / 0x1_0000_0000), length >>> 0);
  for (; at + 8 <= length; at += 8) {
    const h = high;
    const l = low;
    scramble(view.getUint32(at + 4, true), view.getUint32(at, true));
    high ^= h;
    low ^= l;
    rotate(27);
    multiply(high, low, P1_HIGH, P1_LOW);
    add(P4_HIGH, P4_LOW);
  }
  if (at + 4 <= length) {
    const h = high;
    const l = low;
    multiply(0, view.getUint32(at, true), P1_HIGH, P1_LOW);
    high ^= h;
    low ^= l;
    rotate(23);
    multiply(high, low, P2_HIGH, P2_LOW);
    add(P3_HIGH, P3_LOW);
    at += 4;
  }
  for (; at < length; at++) {
    const h = high;
    const l = low;
    multiply(0, bytes[at]!, P5_HIGH, P5_LOW);
    high ^= h;
    low ^= l;
    rotate(11);
    multiply(high, low, P1_HIGH, P1_LOW);
  }
  low = (low ^ (high >>> 1)) >>> 0; // h ^= h >> 33
  multiply(high, low, P2_HIGH, P2_LOW);
  low = (low ^ ((high << 3) | (low >>> 29))) >>> 0; // h ^= h >> 29
  high = (high ^ (high >>> 29)) >>> 0;
  multiply(high, low, P3_HIGH, P3_LOW);
  return (low ^ high) >>> 0; // h ^= h >> 32
}

const P1_HIGH = 0x9e3779b1;
const P1_LOW = 0x85ebca87;
const P2_HIGH = 0xc2b2ae3d;
const P2_LOW = 0x27d4eb4f;
const P3_HIGH = 0x165667b1;
const P3_LOW = 0x9e3779f9;
const P4_HIGH = 0x85ebca77;
const P4_LOW = 0xc2b2ae63;
const P5_HIGH = 0x27d4eb2f;
const P5_LOW = 0x165667c5;
/** Start of the four lanes: P1 + P2, P2, 0 and -P1, each high half first. */
const SEEDS = Uint32Array.of(0x60ea27ee, 0xadc0b5d6, P2_HIGH, P2_LOW, 0, 0, 0x61c8864e, 0x7a143579);
const ROTATIONS = Uint8Array.of(1, 7, 12, 18);

// Scratch of one call, which never yields: the running word and the lanes.
const ACCUMULATORS = new Uint32Array(8);
let high = 0;
let low = 0;

/** All whole stripes; gives where they end. */
function foldStripes(through: Stripes, bytes: Uint8Array): number {
  const end = bytes.length - (bytes.length % 32);
  swapHalves();
  through.fold(ACCUMULATORS, bytes, end);
  swapHalves();
  return end;
}

/** Between high half first and the order of little-endian memory. */
function swapHalves(): void {
  for (let i = 0; i < 8; i += 2) {
    const half = ACCUMULATORS[i]!;
    ACCUMULATORS[i] = ACCUMULATORS[i + 1]!;
    ACCUMULATORS[i + 1] = half;
  }
}

function add(h: number, l: number): void {
  const sum = (low >>> 0) + (l >>> 0);
  high = (high + h + (sum > 0xffff_ffff ? 1 : 0)) >>> 0;
  low = sum >>> 0;
}

function rotate(bits: number): void {
  const h = high;
  high = ((h << bits) | (low >>> (32 - bits))) >>> 0;
  low = ((low << bits) | (h >>> (32 - bits))) >>> 0;
}

/** Sets the running word to the product modulo 2^64. */
function multiply(h: number, l: number, factorHigh: number, factorLow: number): void {
  const a = l & 0xffff;
  const b = l >>> 16;
  const c = factorLow & 0xffff;
  const d = factorLow >>> 16;
  const lowest = a * c;
  const middle = b * c + (lowest >>> 16);
  const carried = a * d + (middle % 0x1_0000);
  low = ((carried << 16) | (lowest & 0xffff)) >>> 0;
  const top = b * d + Math.floor(middle / 0x1_0000) + Math.floor(carried / 0x1_0000);
  high = (top + Math.imul(h, factorLow) + Math.imul(l, factorHigh)) >>> 0;
}

/** One input word of the short path and of the merge: `rotl(word * P2, 31) * P1`. */
function scramble(h: number, l: number): void {
  multiply(h, l, P2_HIGH, P2_LOW);
  rotate(31);
  multiply(high, low, P1_HIGH, P1_LOW);
}

function round(lane: number, h: number, l: number): void {
  multiply(h, l, P2_HIGH, P2_LOW);
  add(ACCUMULATORS[lane * 2]!, ACCUMULATORS[lane * 2 + 1]!);
  rotate(31);
  multiply(high, low, P1_HIGH, P1_LOW);
  ACCUMULATORS[lane * 2] = high;
  ACCUMULATORS[lane * 2 + 1] = low;
}
