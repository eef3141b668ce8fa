import type { SinkBundle } from "../../io/sink/sink.ts";
import type { Recording } from "../../model/recording.ts";
import type { Time } from "../../model/values/time.ts";
import type { ExportOptions, ExportReport, Exporter } from "../exporter.ts";
import type { UtcClock } from "./clock.ts";
import { ACMI } from "./facts.ts";
import { FIX_WIDTH, HEADING, HEIGHT, LATITUDE, LONGITUDE, PITCH, ROLL } from "./fix.ts";
import type { Landmark } from "./landmarks.ts";
import type { Moment } from "./moments.ts";
import { placedSets, surveyOf } from "./survey.ts";
import { ANGLE_DIGITS, DEGREE_DIGITS, fixed, METRE_DIGITS, type TextOut, toMain } from "./text-out.ts";
import { colourOf, modelOf, type Sort, sortOf, type Thing } from "./thing.ts";

/**
 * ACMI 2.2 (tacview.net/documentation/acmi), the text of Tacview: times in seconds from `ReferenceTime`, places as degrees
 * east, degrees north, metres above sea level, then roll (right side down), pitch (nose up) and yaw (from north) in
 * degrees. A thing that comes again gets another id. It is written while the recording is read: memory grows with the
 * number of things and events.
 */
export const acmi: Exporter = {
  ...ACMI,
  fitting: placedSets,
  write: writeAcmi,
};

async function writeAcmi(recording: Recording, to: SinkBundle, options: ExportOptions): Promise<ExportReport> {
  const { clock, moments, landmarks, report } = await surveyOf(recording, options, "sea");
  return toMain(to, async (out) => {
    const writer = new AcmiWriter(out, clock, recording.info.format, landmarks.list);
    for await (const moment of moments.all()) {
      const wait = writer.moment(moment);
      if (wait !== null) await wait;
    }
    await writer.end();
    return report(writer.count);
  });
}

class AcmiWriter {
  count = 0;
  readonly #out: TextOut;
  readonly #clock: UtcClock;
  readonly #from: string;
  readonly #events: readonly Landmark[];
  #next = 0;
  #zero: Time = Number.NaN;
  /** The frame that lines belong to. */
  #frame: Time = Number.NaN;
  #lastId = 0;
  readonly #ids = new Map<Thing, string>();
  /** Ids of things by set and id, for events; those that are gone keep theirs. */
  readonly #byKey = new Map<string, string>();
  /** Label and kind as they were said last. */
  readonly #said = new Map<Thing, string>();
  #text = "";

  constructor(out: TextOut, clock: UtcClock, from: string, events: readonly Landmark[]) {
    this.#out = out;
    this.#clock = clock;
    this.#from = from;
    this.#events = events;
  }

  moment(moment: Moment): Promise<void> | null {
    this.#begin(moment.time);
    this.#passEvents(moment.time);
    this.#at(moment.time);
    for (const thing of moment.gone) this.#text += `-${this.#ids.get(thing)!}\n`;
    for (const [i, thing] of moment.things.entries()) {
      if (moment.come.has(thing)) this.#come(thing);
      this.#text += `${this.#ids.get(thing)!},T=${transform(moment.fixes, i * FIX_WIDTH)}${this.#changed(thing)}\n`;
      this.count++;
    }
    return this.#put();
  }

  end(): Promise<void> | null {
    if (Number.isNaN(this.#zero)) return null;
    this.#passEvents(Number.POSITIVE_INFINITY);
    return this.#put();
  }

  #put(): Promise<void> | null {
    const text = this.#text;
    this.#text = "";
    return this.#out.put(text);
  }

  #begin(time: Time): void {
    if (!Number.isNaN(this.#zero)) return;
    const first = Math.min(time, this.#events[0]?.event.time ?? time);
    this.#zero = this.#clock.secondBefore(first);
    const reference = this.#clock.text(this.#zero).replace(".000Z", "Z");
    this.#text += `FileType=text/acmi/tacview\nFileVersion=2.2\n0,ReferenceTime=${reference}\n`;
    this.#text += `0,DataSource=${value(this.#from)}\n0,DataRecorder=simtape\n`;
  }

  #at(time: Time): void {
    if (time === this.#frame) return;
    this.#frame = time;
    this.#text += `#${fixed((time - this.#zero) / 1e9, 9)}\n`;
  }

  #come(thing: Thing): void {
    const id = (++this.#lastId).toString(16);
    this.#ids.set(thing, id);
    this.#byKey.set(`${thing.set}/${thing.id}`, id);
    this.#said.delete(thing);
  }

  /** What a thing is, when it has come or that is another than before. */
  #changed(thing: Thing): string {
    const said = `${thing.label}|${thing.kind}`;
    if (this.#said.get(thing) === said) return "";
    this.#said.set(thing, said);
    const name = value(modelOf(thing) || thing.label || thing.set);
    const call = value(thing.label || String(thing.id));
    return `,Type=${TYPES[sortOf(thing)]},Name=${name},CallSign=${call},Color=${colourOf(thing).word}`;
  }

  /** Events before a time. */
  #passEvents(time: Time): void {
    for (; this.#next < this.#events.length; this.#next++) {
      const landmark = this.#events[this.#next]!;
      if (landmark.event.time >= time) return;
      // What happened since the frame begun last has its own.
      if (Number.isNaN(this.#frame) || landmark.event.time > this.#frame) this.#at(landmark.event.time);
      this.#text += `0,Event=${this.#event(landmark)}\n`;
    }
  }

  #event({ event, flight }: Landmark): string {
    const who = event.who.map(({ set, id }) => this.#byKey.get(`${set}/${id}`)).filter((id) => id !== undefined);
    const text = value(event.text);
    const first = who[0];
    if (first !== undefined && flight !== null)
      return `${flight === "takeoff" ? "TakenOff" : "Landed"}|${first}|${text}`;
    if (first !== undefined && DESTROYED.has(event.kind)) return `Destroyed|${first}|${text}`;
    if (MARKS.has(event.kind)) return ["Bookmark", ...who, text].join("|");
    return ["Message", ...who, text].join("|");
  }
}

const DESTROYED: ReadonlySet<string> = new Set(["crash", "death"]);
const MARKS: ReadonlySet<string> = new Set(["note", "mark", "bookmark", "checkpoint", "report", "start", "end"]);

/** Tags of Tacview's data base of objects. */
const TYPES: Readonly<Record<Sort, string>> = {
  plane: "Air+FixedWing",
  helicopter: "Air+Rotorcraft",
  car: "Ground+Vehicle",
  motorcycle: "Ground+Light+Vehicle",
  bicycle: "Ground+Light+Vehicle",
  person: "Ground+Light+Human",
  sign: "Ground+Static",
  other: "Misc",
};

function transform(fixes: Float64Array, at: number): string {
  const longitude = fixed(fixes[at + LONGITUDE]!, DEGREE_DIGITS);
  const latitude = fixed(fixes[at + LATITUDE]!, DEGREE_DIGITS);
  const place = `${longitude}|${latitude}|${fixed(fixes[at + HEIGHT]!, METRE_DIGITS)}`;
  if (Number.isNaN(fixes[at + HEADING]!)) return place;
  const roll = fixed(fixes[at + ROLL]!, ANGLE_DIGITS);
  const pitch = fixed(fixes[at + PITCH]!, ANGLE_DIGITS);
  return `${place}|${roll}|${pitch}|${fixed(fixes[at + HEADING]!, ANGLE_DIGITS)}`;
}

/**
 * A text as the value of a property: a comma has a backslash before it. What would be read as a mark of the format
 * otherwise is another one: `/` for a backslash and for the stroke between the parts of an event, a space for the end of
 * a line and other control characters.
 */
function value(text: string): string {
  return text
    .replace(/[\\|]/g, "/")
    .replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .replaceAll(",", "\\,");
}
