/** Whether a text fits a pattern, in which `*` is any characters and `?` one. Takes at most length times length steps. */
export function fits(text: string, pattern: string): boolean {
  let at = 0;
  let star = -1;
  let from = 0;
  let i = 0;
  while (i < text.length) {
    const sign = pattern[at];
    if (sign === "*") {
      star = at++;
      from = i;
    } else if (sign !== undefined && (sign === "?" || sign === text[i])) {
      at++;
      i++;
    } else if (star >= 0) {
      at = star + 1;
      i = ++from;
    } else return false;
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}

export function isPattern(text: string): boolean {
  return /[*?]/.test(text);
}
