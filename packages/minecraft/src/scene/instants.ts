import type { Recording, Time } from "simtape";

/** Something that happens and is over. */
export interface Instant {
  readonly kind: "swing" | "hurt" | "chat" | "mark";
  /** The recording's number of who it happens to, or who says it. */
  readonly entity: number | null;
  readonly text: string;
  /** Of a swing 1 for the other hand; of a hurt where it came from, in degrees. */
  readonly amount: number;
}

const KINDS = ["swing", "hurt", "chat", "mark"] as const;

/** What happens in a recording and leaves nothing behind: it is shown while time goes forwards. */
export class Instants {
  readonly #recording: Recording;
  readonly #kinds: readonly (typeof KINDS)[number][];

  constructor(recording: Recording) {
    this.#recording = recording;
    const names = new Set(recording.channels.map(({ name }) => name));
    this.#kinds = KINDS.filter((kind) => names.has(kind));
  }

  /** Those behind `since`, up to `until`. */
  async *between(since: Time, until: Time): AsyncGenerator<Instant> {
    for (const kind of this.#kinds) {
      for await (const { value } of this.#recording.messages(kind, { start: since + 1, end: until + 1 })) {
        const { entity, sender, line, label, hand, yaw } = value as Readonly<Record<string, unknown>>;
        const of = entity ?? sender ?? null;
        yield {
          kind,
          entity: typeof of === "number" ? of : null,
          text: String(line ?? label ?? ""),
          amount: Number(kind === "swing" ? (hand ?? 0) : (yaw ?? 0)),
        };
      }
    }
  }
}
