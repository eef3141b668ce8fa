/** C's `atoi` on a 32-bit `int`: leading white space, sign, digits; 0 when there are none. Beyond 64 bits it clamps. */
export function parseInteger(text: string): number {
  const digits = /^[ \t\n\v\f\r]*([+-]?\d+)/.exec(text)?.[1];
  if (digits === undefined) return 0;
  const number = Number(digits);
  if (Number.isSafeInteger(number)) return number | 0;
  // glibc: strtol clamps to 64 bits, the cast keeps the low 32
  const long = BigInt(digits);
  const limit = 1n << 63n;
  const clamped = long >= limit ? limit - 1n : long < -limit ? -limit : long;
  return Number(BigInt.asIntN(32, clamped));
}

/** C's `strtod` on the longest number the text begins with; 0 when there is none. Hexadecimal floats count as 0. */
export function parseDouble(text: string): number {
  const found = /^[ \t\n\v\f\r]*([+-]?)(?:(inf(?:inity)?)|(nan)|(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?))/i.exec(
    text,
  );
  if (found === null) return 0;
  const [, sign, infinity, nan, number] = found;
  const size = infinity !== undefined ? Number.POSITIVE_INFINITY : nan !== undefined ? Number.NaN : Number(number);
  return sign === "-" ? -size : size;
}

/**
 * A double as a C++ stream writes it with 10 significant digits, as SimGear does (FlightGear spec §1): `244.55`,
 * `1e-07`, no point for whole numbers, `inf` and `nan`. For a float give `Math.fround(value)`.
 */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value < 0 ? "-inf" : "inf";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [digits = "", power = ""] = roundToTen(value).split("e");
  const exponent = Number(power);
  const sign = value < 0 ? "-" : "";
  const significant = digits.replace("-", "").replace(".", "").replace(/0+$/, "");
  if (exponent < -4 || exponent >= 10) {
    const rest = significant.slice(1);
    const size = String(Math.abs(exponent)).padStart(2, "0");
    return `${sign}${significant[0]}${rest === "" ? "" : `.${rest}`}e${exponent < 0 ? "-" : "+"}${size}`;
  }
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${significant}`;
  const whole = significant.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  const part = significant.slice(exponent + 1);
  return `${sign}${whole}${part === "" ? "" : `.${part}`}`;
}

/** Ten digits in exponent form; halves go to the even digit as in C, where JavaScript goes away from zero. */
function roundToTen(value: number): string {
  const rounded = value.toExponential(9);
  // exactly half: the eleventh digit is the last one of the number
  const eleven = value.toExponential(10);
  // oxlint-disable-next-line number-arg-out-of-range -- up to 100 digits since ES2018
  const all = value.toExponential(99);
  if (!eleven.includes("5e") || all.replace(/0*e/, "e") !== eleven) return rounded;
  const down = `${eleven.slice(0, eleven.indexOf("e") - 1)}${eleven.slice(eleven.indexOf("e"))}`;
  return "02468".includes(down[down.indexOf("e") - 1]!) ? down : rounded;
}
