import type { Race } from "simtape/race";
import { useMemo } from "react";
import { useObservable } from "../hooks.ts";
import { colorOf } from "../plots/chart-options.ts";
import { scheme } from "../theme.ts";

const [WIDTH, HEIGHT] = [400, 120];
/** Laps that are drawn at most: more look alike. */
const MOST = 8;

/** How far each lap is behind the one that leads, in seconds along the course; the chosen one is thick. */
export function GapChart({ race, chosen }: { readonly race: Race; readonly chosen: number }) {
  const colors = useObservable(scheme, (value) => value);
  const { laps, course } = race;
  const most = useMemo(() => extremesOf(race), [race]);
  const x = (metres: number): number => (course.length > 0 ? (WIDTH * metres) / course.length : 0);
  const y = (seconds: number): number =>
    HEIGHT - 8 - ((HEIGHT - 16) * (seconds - most.least)) / (most.most - most.least);
  const shown = laps.map((lap, i) => ({ lap, i })).filter(({ i }) => i < MOST || i === chosen);
  return (
    <figure className="gap-chart">
      <figcaption>
        Seconds behind the fastest, along {Math.round(course.length).toLocaleString("en")} m: {most.least.toFixed(2)} to{" "}
        {most.most.toFixed(2)} s
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label="Gaps along the course">
        {course.splits.map(({ name, along }) =>
          along === null ? null : <path key={name} className="gap-split" d={`M${x(along).toFixed(1)} 0V${HEIGHT}`} />,
        )}
        <path className="gap-split" d={`M0 ${y(0).toFixed(1)}H${WIDTH}`} />
        {shown.map(({ lap, i }) => (
          <path
            key={i}
            className={i === chosen ? "gap-line gap-chosen" : "gap-line"}
            stroke={colorOf(i, colors)}
            d={lineOf(course.along, lap.curve.seconds, x, y)}
          />
        ))}
      </svg>
    </figure>
  );
}

function extremesOf({ laps }: Race): { readonly least: number; readonly most: number } {
  let [least, most] = [0, 0];
  for (const { curve } of laps.slice(0, MOST)) {
    for (const gap of curve.seconds) {
      if (gap === null) continue;
      least = Math.min(least, gap);
      most = Math.max(most, gap);
    }
  }
  return { least, most: most > least ? most : least + 1 };
}

/** A line that breaks where nothing is known. */
function lineOf(
  along: readonly number[],
  values: readonly (number | null)[],
  x: (metres: number) => number,
  y: (seconds: number) => number,
): string {
  let isDown = false;
  const parts: string[] = [];
  for (const [i, value] of values.entries()) {
    if (value !== null) parts.push(`${isDown ? "L" : "M"}${x(along[i]!).toFixed(1)} ${y(value).toFixed(1)}`);
    isDown = value !== null;
  }
  return parts.join("");
}
