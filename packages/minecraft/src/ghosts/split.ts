const TICKS_PER_SECOND = 20;

/** A time in the form `1:02.35`; `ticks` from 0 on. */
export function clockText(ticks: number): string {
  const seconds = ticks / TICKS_PER_SECOND;
  return `${Math.floor(seconds / 60)}:${(seconds % 60).toFixed(2).padStart(5, "0")}`;
}

/**
 * In the form `Checkpoint 1 0:12.35  -0.85 1 Alex  +1.20 2 Sam`: 0.85 s ahead of the first ghost, 1.2 s behind the
 * second; times in ticks.
 */
export function splitText(
  what: string,
  ticks: number,
  ghosts: readonly (readonly [name: string, ticks: number | undefined])[],
): string {
  const against = ghosts.flatMap(([name, of]) => (of === undefined ? [] : [`${signed(ticks - of)} ${name}`]));
  return [`${what} ${clockText(ticks)}`, ...against].join("  ");
}

/** In the form `-0.85 1 Alex  +1.20 2 Sam`: ahead of the first ghost, behind the second; NaN: none is known. */
export function gapsText(gaps: readonly (readonly [name: string, ticks: number])[]): string {
  const known = gaps.filter(([, ticks]) => Number.isFinite(ticks));
  return known.map(([name, ticks]) => `${signed(ticks)} ${name}`).join("  ");
}

function signed(ticks: number): string {
  const seconds = Math.abs(ticks / TICKS_PER_SECOND).toFixed(2);
  return `${seconds === "0.00" ? "±" : ticks < 0 ? "-" : "+"}${seconds}`;
}
