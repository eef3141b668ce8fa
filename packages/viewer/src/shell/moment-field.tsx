import type { Time } from "simtape";
import type { Mark } from "../protocol.ts";
import type { Deck } from "../session.ts";
import { clock, parseTime } from "../time.ts";
import { DraftField } from "./draft-field.tsx";

/** Marks that can be chosen from; more of them are too many to look through. */
const MOST = 500;

/** A moment of a recording: typed, or its start, what is shown now, or one of its marks. */
export function MomentField({
  name,
  deck,
  marks,
  time,
  now,
  onChange,
}: {
  readonly name: string;
  readonly deck: Deck;
  readonly marks: readonly Mark[];
  readonly time: Time;
  /** The moment it shows; null: none. */
  readonly now: () => Time | null;
  readonly onChange: (time: Time) => void;
}) {
  const { timeline } = deck.opened;
  const choose = (value: string): void => {
    const mark = marks[Number(value)];
    const chosen = value === "start" ? timeline.start : value === "now" ? now() : (mark?.time ?? null);
    if (chosen !== null) onChange(chosen);
  };
  const at = marks.findIndex((mark) => mark.time === time);
  return (
    <div className="row">
      <span className="spring">{name} at</span>
      <DraftField
        label={`Moment of ${name}`}
        text={clock(time)}
        parse={(text) => parseTime(text, timeline, now() ?? timeline.start)}
        onChange={(typed) => onChange(Math.round(typed))}
      />
      <select
        className="field"
        aria-label={`Choose a moment of ${name}`}
        value={time === timeline.start ? "start" : at >= 0 ? at : "own"}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        <option value="own">as typed</option>
        <option value="start">its start</option>
        <option value="now">what it shows now</option>
        {marks.slice(0, MOST).map((mark, i) => (
          <option key={`${mark.time} ${mark.label}`} value={i}>
            {clock(mark.time, 1)} {mark.label}
          </option>
        ))}
      </select>
    </div>
  );
}
