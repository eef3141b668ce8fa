/**
 * Numbers and dates as CARLA's server writes them: those of C++ streams (semantics §3). Ties are rounded to even, as C
 * does and JavaScript's own `toPrecision` and `toFixed` do not: 1234.125 is `1234.12`.
 */

const POWERS = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9] as const;

/** A number as a stream writes it by default: `%g` with six digits. The sign of NaN is not seen: see `f32Text`. */
export function numberText(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude < 999999 && magnitude >= 1e-4) {
    if (magnitude === Math.floor(magnitude)) return String(value);
    const power = POWERS[decimals(magnitude)]!;
    const scaled = magnitude * power;
    const below = Math.floor(scaled);
    const rest = scaled - below;
    // The product is off by less than 2e-10: farther than that from a half it rounds as the exact one does.
    if (rest < 0.499999) return String((value < 0 ? -below : below) / power);
    if (rest > 0.500001) return String((value < 0 ? -below - 1 : below + 1) / power);
  } else if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  return exactText(value);
}

/** Decimals that leave six digits of a number from 1e-4 to 1e6. */
function decimals(magnitude: number): number {
  if (magnitude >= 100) return magnitude >= 1e4 ? (magnitude >= 1e5 ? 0 : 1) : magnitude >= 1e3 ? 2 : 3;
  if (magnitude >= 1) return magnitude >= 10 ? 4 : 5;
  if (magnitude >= 0.01) return magnitude >= 0.1 ? 6 : 7;
  return magnitude >= 0.001 ? 8 : 9;
}

function exactText(value: number): string {
  if (Number.isNaN(value)) return "nan";
  const sign = value < 0 ? "-" : "";
  const magnitude = Math.abs(value);
  if (magnitude === Number.POSITIVE_INFINITY) return `${sign}inf`;
  let text = magnitude.toExponential(5);
  const at = text.indexOf("e");
  const exponent = Number(text.slice(at + 1));
  // Rounded up from a half exactly: the even neighbour is the one below when the last digit is odd now.
  const last = text.charCodeAt(at - 1) - 48;
  if (last % 2 === 1 && isHalf(magnitude, exponent)) text = text.slice(0, at - 1) + (last - 1) + text.slice(at);
  if (exponent >= -4 && exponent < 6) return sign + String(Number(text));
  const digits = String(Math.abs(exponent)).padStart(2, "0");
  return `${sign}${String(Number(text.slice(0, at)))}e${exponent < 0 ? "-" : "+"}${digits}`;
}

/**
 * Whether a number lies in the middle between two numbers of six digits. Below 1e6 it is then an odd multiple of
 * 2^(exponent - 6), because it is one of 10^(exponent - 5) / 2 and has a finite number of bits.
 */
function isHalf(magnitude: number, exponent: number): boolean {
  if (exponent < 6) return (magnitude * 2 ** (6 - exponent)) % 2 === 1;
  const unit = 10 ** (exponent - 5);
  return magnitude % unit === unit / 2;
}

/** The f32 at `at`; a NaN with the sign it has there. */
export function f32Text(view: DataView, at: number): string {
  const value = view.getFloat32(at, true);
  return Number.isNaN(value) ? nanText(view.getUint8(at + 3)) : numberText(value);
}

/** The f64 at `at`; a NaN with the sign it has there. */
export function f64Text(view: DataView, at: number): string {
  const value = view.getFloat64(at, true);
  return Number.isNaN(value) ? nanText(view.getUint8(at + 7)) : numberText(value);
}

function nanText(highest: number): string {
  return highest >= 128 ? "-nan" : "nan";
}

/** `(x, y, z)` of the three numbers at `at`, each `scalar` bytes. */
export function vectorText(view: DataView, at: number, scalar: 4 | 8): string {
  return scalar === 4
    ? `(${f32Text(view, at)}, ${f32Text(view, at + 4)}, ${f32Text(view, at + 8)})`
    : `(${f64Text(view, at)}, ${f64Text(view, at + 8)}, ${f64Text(view, at + 16)})`;
}

/** The u64 at `at`. */
export function u64Text(view: DataView, at: number): string {
  const high = view.getUint32(at + 4, true);
  if (high < 0x20_0000) return String(high * 0x1_0000_0000 + view.getUint32(at, true));
  return String(view.getBigUint64(at, true));
}

/** A number without decimals: `%.0f`. */
export function wholeText(value: number): string {
  if (Number.isNaN(value)) return "nan";
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const magnitude = Math.abs(value);
  if (magnitude === Number.POSITIVE_INFINITY) return `${sign}inf`;
  const below = Math.floor(magnitude);
  const rest = magnitude - below;
  const rounded = rest > 0.5 || (rest === 0.5 && below % 2 === 1) ? below + 1 : below;
  return sign + (rounded < 1e21 ? String(rounded) : String(BigInt(rounded)));
}

/** `text` in a column of `width` bytes, to the right or the left of blanks; a longer text stays as it is. */
export function toRight(text: string, width: number): string {
  return blanks(text, width) + text;
}
export function toLeft(text: string, width: number): string {
  return text + blanks(text, width);
}

const UTF8 = new TextEncoder();

function blanks(text: string, width: number): string {
  return " ".repeat(Math.max(0, width - UTF8.encode(text).length));
}

/**
 * `MM/DD/YY HH:MM:SS` of Unix seconds, in this machine's zone or in UTC; outside the years that a `Date` can hold, the
 * seconds themselves.
 */
export function dateText(seconds: bigint, utc: boolean): string {
  const date = new Date(Number(seconds) * 1000);
  if (Number.isNaN(date.getTime())) return String(seconds);
  const [year, month, day] = utc
    ? [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
    : [date.getFullYear(), date.getMonth(), date.getDate()];
  const [hour, minute, second] = utc
    ? [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()]
    : [date.getHours(), date.getMinutes(), date.getSeconds()];
  return `${two(month + 1)}/${two(day)}/${two(((year % 100) + 100) % 100)} ${two(hour)}:${two(minute)}:${two(second)}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

/** What C makes of a string: it ends at the first zero (spec §1). */
export function cText(text: string): string {
  const end = text.indexOf("\0");
  return end < 0 ? text : text.slice(0, end);
}
