/** Numbers in [0, 1), the same for the same seed on every machine: mulberry32. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/** Noise between 0 and 1 that is smooth from one whole place to the next. */
export function noiseOf(seed: number): (x: number, y: number) => number {
  const at = (i: number, j: number): number => {
    let hash = Math.imul(i, 0x27d4eb2d) ^ Math.imul(j, 0x165667b1) ^ Math.imul(Math.trunc(seed), 0x9e3779b1);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
    return ((hash ^ (hash >>> 15)) >>> 0) / 0x1_0000_0000;
  };
  const eased = (part: number): number => part * part * (3 - 2 * part);
  return (x, y) => {
    const [i, j] = [Math.floor(x), Math.floor(y)];
    const [u, v] = [eased(x - i), eased(y - j)];
    const lower = at(i, j) * (1 - u) + at(i + 1, j) * u;
    const upper = at(i, j + 1) * (1 - u) + at(i + 1, j + 1) * u;
    return lower * (1 - v) + upper * v;
  };
}
