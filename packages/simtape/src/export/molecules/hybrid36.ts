const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/**
 * A number in a field of so many characters, right-justified: as hybrid-36 has it where decimal digits do not suffice,
 * which begins with a letter: `A0000` is 100,000 in a field of 5, then capital letters, then small ones. Null for what
 * does not fit. Source: cci.lbl.gov/hybrid_36, which PDB readers of today know.
 */
export function hybrid36(width: number, value: number): string | null {
  if (value > -(10 ** (width - 1)) && value < 10 ** width) return String(value).padStart(width);
  if (value < 0) return null;
  let rest = value - 10 ** width;
  const letters = 26 * 36 ** (width - 1);
  const isSmall = rest >= letters;
  if (isSmall) rest -= letters;
  if (rest >= letters) return null;
  rest += 10 * 36 ** (width - 1);
  let text = "";
  for (let k = 0; k < width; k++) {
    text = DIGITS[rest % 36]! + text;
    rest = Math.floor(rest / 36);
  }
  return isSmall ? text.toLowerCase() : text;
}
