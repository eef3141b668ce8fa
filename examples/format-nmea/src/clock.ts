import { FIELDS, fieldOf, type Sentence, writeSentence } from "./sentence.ts";

/** The time of day in sentences, and what it means in a recording: nanoseconds since its first one. */

export const DAY = 86_400e9;
/** A receiver that gives a date so far ahead of the last one does not know the time yet. */
const FAR = 90 * DAY;

/** What a sentence says of the time. */
export interface Stamp {
  /** Nanoseconds since midnight, UTC. */
  readonly ofDay: number;
  /** Days since 1970; null: it says none. */
  readonly day: number | null;
}

/** What time 0 of a recording is. */
export interface Zero {
  readonly ofDay: number;
  /** Null: no sentence has a date. */
  readonly day: number | null;
}

/** Null: the sentence does not say the time. */
export function stampOf(sentence: Sentence): Stamp | null {
  const ofDay = ofDayIn(fieldOf(sentence, "time"));
  return ofDay === null ? null : { ofDay, day: dayIn(sentence) };
}

/** Time of a stamp behind the time `now`. Midnight may have passed since; it never goes back. */
export function timeOf({ ofDay, day }: Stamp, zero: Zero, now: number): number {
  const isDated = day !== null && zero.day !== null;
  const days = isDated ? day - zero.day : Math.round((zero.ofDay + now - ofDay) / DAY);
  const time = days * DAY + ofDay - zero.ofDay;
  return time < now || time > now + FAR ? now : time;
}

/** The same sentence, so many nanoseconds later; with as many digits as that needs. */
export function later(sentence: Sentence, by: number, ending: string): Uint8Array {
  const { ofDay, day } = stampOf(sentence)!;
  const sum = ofDay + by;
  const days = Math.floor(sum / DAY);
  const text = fieldOf(sentence, "time");
  const fraction = text.includes(".") ? text.length - text.indexOf(".") - 1 : 0;
  const date = day === null ? {} : dateFields(sentence.formatter, day + days);
  return writeSentence(withFields(sentence, { time: timeText(sum - days * DAY, fraction), ...date }), ending);
}

/** A sentence that says the time, and nothing else. */
export function marker({ ofDay, day }: Stamp): Uint8Array {
  const empty: Sentence = { start: "$", talker: "P", formatter: "SIMT", fields: ["", "", "", ""] };
  const date = day === null ? {} : dateFields("SIMT", day);
  return writeSentence(withFields(empty, { time: timeText(ofDay, 0), ...date }));
}

/** "hhmmss", with a fraction of a second if there is one, or if the sentence had one. */
export function timeText(ofDay: number, digits: number): string {
  const seconds = Math.floor(ofDay / 1e9);
  const two = (number: number): string => String(number).padStart(2, "0");
  const clock = `${two(Math.floor(seconds / 3600))}${two(Math.floor(seconds / 60) % 60)}${two(seconds % 60)}`;
  const all = String(Math.round(ofDay - seconds * 1e9)).padStart(9, "0");
  const needed = Math.max(digits, all.replace(/0+$/, "").length);
  return needed === 0 ? clock : `${clock}.${all.slice(0, Math.min(9, needed)).padEnd(needed, "0")}`;
}

function ofDayIn(text: string): number | null {
  const found = /^(\d\d)(\d\d)(\d\d)(?:\.(\d*))?$/.exec(text);
  if (found === null) return null;
  const [hours, minutes, seconds] = found.slice(1, 4).map(Number) as [number, number, number];
  // 60 is a leap second.
  if (hours > 23 || minutes > 59 || seconds > 60) return null;
  const fraction = Number((found[4] ?? "").slice(0, 9).padEnd(9, "0"));
  return (hours * 3600 + minutes * 60 + seconds) * 1e9 + fraction;
}

/** A date counts where the receiver knows it: of an RMC that is valid, and of others that have a day. */
function dayIn(sentence: Sentence): number | null {
  if (sentence.formatter === "RMC") {
    const found = /^(\d\d)(\d\d)(\d\d)$/.exec(fieldOf(sentence, "date"));
    if (found === null || fieldOf(sentence, "status") !== "A") return null;
    const [day, month, year] = found.slice(1).map(Number) as [number, number, number];
    // The first receivers are of 1980.
    return daysOf(day, month, year < 80 ? 2000 + year : 1900 + year);
  }
  const [day, month, year] = ["day", "month", "year"].map((name) => Number(fieldOf(sentence, name) || "NaN"));
  return daysOf(day!, month!, year!);
}

function daysOf(day: number, month: number, year: number): number | null {
  const time = Date.UTC(year, month - 1, day);
  const date = new Date(time);
  const isDate = year >= 1980 && year < 2200 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isDate ? time / 86_400_000 : null;
}

function dateFields(formatter: string, days: number): Readonly<Record<string, string>> {
  const [year, month, day] = new Date(days * 86_400_000).toISOString().slice(0, 10).split("-") as [
    string,
    string,
    string,
  ];
  return formatter === "RMC" ? { date: `${day}${month}${year.slice(2)}` } : { day, month, year };
}

function withFields(sentence: Sentence, changes: Readonly<Record<string, string>>): Sentence {
  const fields = [...sentence.fields];
  for (const [name, text] of Object.entries(changes)) {
    const at = FIELDS[sentence.formatter]!.indexOf(name);
    if (at < fields.length) fields[at] = text;
  }
  return { ...sentence, fields };
}
