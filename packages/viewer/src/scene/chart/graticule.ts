/** Degrees from one line to the next, the largest first: parts of a degree are minutes and seconds. */
const STEPS: readonly number[] = [
  30,
  10,
  5,
  2,
  1,
  ...[30, 10, 5, 2, 1].map((minutes) => minutes / 60),
  ...[30, 10, 5, 2, 1].map((seconds) => seconds / 3600),
];

/** So many degrees that at least so many lines are seen in a part of the earth of that height. */
export function stepOf(degrees: number, lines = 3): number {
  return STEPS.find((step) => step * lines <= degrees) ?? STEPS.at(-1)!;
}

/** Multiples of a step from one number to another, at most `most`. */
export function multiples(from: number, to: number, step: number, most = 60): number[] {
  const first = Math.ceil(from / step - 1e-9);
  const count = Math.min(most, Math.floor(to / step + 1e-9) - first + 1);
  return Array.from({ length: Math.max(0, count) }, (_, i) => (first + i) * step);
}

/** "47°38′N", "8°45′30″E": as exact as the step asks for. */
export function degreesText(
  degrees: number,
  winds: readonly [positive: string, negative: string],
  step: number,
): string {
  const seconds = Math.round(Math.abs(degrees) * 3600);
  const parts = [`${Math.floor(seconds / 3600)}°`];
  if (step < 1) parts.push(`${String(Math.floor((seconds % 3600) / 60)).padStart(2, "0")}′`);
  if (step < 1 / 60) parts.push(`${String(seconds % 60).padStart(2, "0")}″`);
  return `${parts.join("")}${seconds === 0 ? "" : winds[degrees < 0 ? 1 : 0]}`;
}

/** Where a name may be: its middle line, and the end or the middle of it that is at `x`, pixels. */
export type Spot = readonly [x: number, y: number, align: "left" | "center" | "right"];
export type Box = Readonly<Record<"left" | "right" | "top" | "bottom", number>>;

/** The first of some spots where nothing would lie over a name of so many pixels; null: something does over all. */
export function freeSpot(spots: readonly Spot[], width: number, height: number, above: readonly Box[]): Spot | null {
  const isFree = ([x, y, align]: Spot): boolean => {
    const from = x - { left: 0, center: width / 2, right: width }[align];
    return above.every(
      ({ left, right, top, bottom }) =>
        from >= right || from + width <= left || y - height / 2 >= bottom || y + height / 2 <= top,
    );
  };
  return spots.find(isFree) ?? null;
}
