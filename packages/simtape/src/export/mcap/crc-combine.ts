/** The polynomial of CRC-32 with its bits reversed: the highest bit is x^0. */
const POLYNOMIAL = 0xedb88320;
const ONE = 0x8000_0000;
const X = 0x4000_0000;

/**
 * The CRC-32 of two runs of bytes, one behind the other, of the CRCs of both and the length of the second: the first one
 * times x^(8 × length), and the second, as polynomials modulo that of the CRC. Takes about 2,000 steps whatever the length.
 */
export function combineCrcs(first: number, second: number, length: number): number {
  let power = ONE;
  let square = X;
  for (let bits = 8 * length; bits > 0; bits = Math.floor(bits / 2)) {
    if (bits % 2 === 1) power = product(square, power);
    square = product(square, square);
  }
  return (product(power, first) ^ second) >>> 0;
}

function product(a: number, b: number): number {
  let sum = 0;
  let shifted = b;
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) sum ^= shifted;
    shifted = (shifted & 1) === 1 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1;
  }
  return sum >>> 0;
}
