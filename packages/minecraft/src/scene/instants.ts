import type { Recording, Time } from "simtape";
import type { Sound } from "./adapter.ts";

/** An event without duration. */
export interface Instant {
  readonly kind: "swing" | "hurt" | "chat" | "mark" | "sound";
  /** The recording's number of the thing that it happens to, or that speaks. */
  readonly entity: number | null;
  readonly text: string;
  /** For a swing: 1 is the other hand; for a hurt: its direction in degrees; for a mark: the number of its kind. */
  readonly amount: number;
  /** The name of a sound; null: this is no sound, or its name is lost. */
  readonly sound: Sound | null;
}

/** Fractions of a block in which positions of sounds are counted, and fraction of one for volume and pitch. */
const EIGHTHS = 8;
const PARTS = 64;

const KINDS = ["swing", "hurt", "chat", "mark", "sound"] as const;

/** Events in a recording that change no state: they are shown while time goes forwards. */
export class Instants {
  readonly #recording: Recording;
  readonly #kinds: readonly (typeof KINDS)[number][];

  constructor(recording: Recording) {
    this.#recording = recording;
    const names = new Set(recording.channels.map(({ name }) => name));
    this.#kinds = KINDS.filter((kind) => names.has(kind));
  }

  /** Events after `since`, up to `until`. */
  async *between(since: Time, until: Time): AsyncGenerator<Instant> {
    for (const kind of this.#kinds) {
      for await (const { value } of this.#recording.messages(kind, { start: since + 1, end: until + 1 })) {
        const { entity, sender, line, label, hand, yaw, kind: ofMark } = value as Readonly<Record<string, unknown>>;
        const of = entity ?? sender ?? null;
        yield {
          kind,
          entity: typeof of === "number" ? of : null,
          text: textOf(line ?? label),
          amount: Number({ swing: hand, mark: ofMark, hurt: yaw, chat: 0, sound: 0 }[kind] ?? 0),
          sound: kind === "sound" ? soundIn(value as unknown as Heard) : null,
        };
      }
    }
  }
}

/** An event 17 of the recording. */
interface Heard {
  readonly soundName: string | null;
  readonly position: ArrayLike<number>;
  readonly category: number;
  readonly volume: number;
  readonly pitch: number;
}

function soundIn({ soundName: name, position, category, volume, pitch }: Heard): Sound | null {
  if (name === null || name === "") return null;
  const [x, y, z] = Array.from(position, (value) => value / EIGHTHS) as [number, number, number];
  return { name, x, y, z, category, volume: volume / PARTS, pitch: pitch / PARTS };
}

/** Of a file of another program it may be anything. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
