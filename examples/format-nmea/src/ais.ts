import { fieldOf, type Sentence } from "./sentence.ts";

/** Reports of other vessels (AIS, ITU-R M.1371) in VDM sentences: those that fit into one sentence. */

/** Where a vessel is. NaN: it does not say. */
export type PositionReport = {
  readonly type: "position";
  readonly mmsi: number;
  /** Degrees. */
  readonly latitude: number;
  readonly longitude: number;
  /** Knots, and degrees. */
  readonly speed: number;
  readonly course: number;
  readonly heading: number;
};

/** What a vessel is called, and how large it is in metres. */
export type NameReport = { readonly type: "name"; readonly mmsi: number; readonly name: string };
export type SizeReport = {
  readonly type: "size";
  readonly mmsi: number;
  readonly length: number;
  readonly beam: number;
};

export type Report = PositionReport | NameReport | SizeReport;

/** Null: of several sentences, of another type, or cut off. */
export function reportOf(sentence: Sentence): Report | null {
  if (sentence.formatter !== "VDM" || fieldOf(sentence, "sentences") !== "1") return null;
  const bits = new Bits(fieldOf(sentence, "payload"));
  const type = bits.unsigned(0, 6);
  const mmsi = bits.unsigned(8, 30);
  if (type >= 1 && type <= 3 && bits.length >= 149) return position(bits, mmsi, 50, 61, 89, 116, 128);
  if ((type === 18 || type === 19) && bits.length >= 139) return position(bits, mmsi, 46, 57, 85, 112, 124);
  if (type !== 24) return null;
  if (bits.unsigned(38, 2) === 0 && bits.length >= 160) return { type: "name", mmsi, name: bits.text(40, 20) };
  if (bits.unsigned(38, 2) !== 1 || bits.length < 162) return null;
  const [bow, stern, port, starboard] = [
    bits.unsigned(132, 9),
    bits.unsigned(141, 9),
    bits.unsigned(150, 6),
    bits.unsigned(156, 6),
  ];
  return { type: "size", mmsi, length: bow + stern || Number.NaN, beam: port + starboard || Number.NaN };
}

function position(
  bits: Bits,
  mmsi: number,
  speed: number,
  longitude: number,
  latitude: number,
  course: number,
  heading: number,
): PositionReport {
  const known = (value: number, most: number, per: number): number =>
    Math.abs(value) <= most ? value / per : Number.NaN;
  return {
    type: "position",
    mmsi,
    latitude: known(bits.signed(latitude, 27), 90 * 600_000, 600_000),
    longitude: known(bits.signed(longitude, 28), 180 * 600_000, 600_000),
    speed: known(bits.unsigned(speed, 10), 1022, 10),
    course: known(bits.unsigned(course, 12), 3599, 10),
    heading: known(bits.unsigned(heading, 9), 359, 1),
  };
}

/** Six bits in each character. */
class Bits {
  readonly length: number;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    this.length = 6 * text.length;
  }

  unsigned(from: number, count: number): number {
    let value = 0;
    for (let at = from; at < from + count; at++) value = 2 * value + this.#bit(at);
    return value;
  }

  signed(from: number, count: number): number {
    const value = this.unsigned(from, count);
    return value >= 2 ** (count - 1) ? value - 2 ** count : value;
  }

  /** Without the padding behind it. */
  text(from: number, count: number): string {
    let text = "";
    for (let i = 0; i < count; i++) {
      const code = this.unsigned(from + 6 * i, 6);
      if (code === 0) break;
      text += String.fromCharCode(code < 32 ? code + 64 : code);
    }
    return text.trimEnd();
  }

  #bit(at: number): number {
    const code = this.#text.charCodeAt(Math.floor(at / 6)) - 48;
    return ((code > 40 ? code - 8 : code) >> (5 - (at % 6))) & 1;
  }
}
