import type { Tick } from "simtape";
import { measureOfReading, type UnitSystem } from "../../measures.ts";
import type { Deck } from "../../session.ts";
import { gapText } from "../ways/gap.ts";
import { ghostColor } from "../drawing/look.ts";
import type { Reading } from "../presenters/readings.ts";
import type { SceneView } from "../scene-view.ts";

/** Numbers of what is looked at; before them, which tick it is. */
export function writeReadings(view: SceneView, tick: Tick | null, system: UnitSystem): void {
  const { name, readings } = view.readings();
  const isTick = tick?.name === "tick" && tick.duration !== null && readings.length > 0;
  const first = isTick ? [{ label: "tick", value: Math.floor(view.time / tick.duration!), unit: "", digits: 0 }] : [];
  view.hud.write(name, [...first, ...readings.map((reading) => shownReading(reading, system))]);
}

function shownReading(reading: Reading, system: UnitSystem): Reading {
  const { unit, factor } = measureOfReading(reading.unit, system);
  if (typeof reading.value === "string" || factor === 1) return reading;
  return { ...reading, value: reading.value * factor, unit: unit!, digits: Math.max(1, reading.digits) };
}

/** One line for each ghost, in its colour. */
export function writeGaps(place: HTMLElement, view: SceneView, decks: readonly Deck[]): void {
  const gaps = view.gaps(decks.slice(1).map(({ placement }) => placement.rate ?? 1));
  while (place.childElementCount > gaps.length) place.lastElementChild?.remove();
  for (const [i, gap] of gaps.entries()) {
    let line = place.children[i] as HTMLElement | undefined;
    if (line === undefined) {
      line = document.createElement("div");
      line.style.borderColor = ghostColor(i).getStyle();
      place.append(line);
    }
    const text = `ghost${gaps.length > 1 ? ` ${i + 1}` : ""}: ${gap === null ? "not there" : gapText(gap)}`;
    if (line.textContent !== text) line.textContent = text;
  }
}
