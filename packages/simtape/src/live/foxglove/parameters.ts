import type { Deck, Loaded } from "../deck.ts";
import type { Parameter } from "./protocol.ts";

const SECOND = 1e9;

/** A parameter of the server. */
interface Known {
  readonly type?: "float64";
  /** Throws `RangeError` while it has no value. */
  readonly get: () => unknown;
  /** Absent: it is only read. Throws `RangeError` for a value that it cannot have. */
  readonly set?: (value: unknown) => void;
}

/** What the deck plays, and how, as parameters: for clients that have no playback control. */
export class Parameters {
  readonly #known: ReadonlyMap<string, Known>;

  constructor(deck: Deck) {
    const at = (): Loaded => {
      if (deck.loaded === null) throw new RangeError("no recording is loaded");
      return deck.loaded;
    };
    const start = (): number => at().player.status.bounds?.start ?? 0;
    this.#known = new Map<string, Known>([
      [
        "/playback/playing",
        { get: () => isPlaying(at()), set: (value) => (boolean(value) ? at().player.play() : at().player.pause()) },
      ],
      [
        "/playback/rate",
        { type: "float64", get: () => at().player.status.rate, set: (value) => at().player.setRate(number(value)) },
      ],
      [
        "/playback/time",
        {
          type: "float64",
          get: () => (at().player.status.time - start()) / SECOND,
          set: (value) => void at().player.seek(start() + number(value) * SECOND),
        },
      ],
      [
        "/playback/duration",
        { type: "float64", get: () => ((at().player.status.bounds?.end ?? start()) - start()) / SECOND },
      ],
      ["/playback/recordings", { get: () => deck.entries.map(({ name }) => name) }],
      [
        "/playback/recording",
        {
          get: () => deck.loaded?.index,
          // an index without entry throws at once; the deck reports a recording that does not open
          set: (value) =>
            void deck.load(typeof value === "string" ? deck.indexOf(value) : number(value)).catch(() => undefined),
        },
      ],
    ]);
  }

  get names(): readonly string[] {
    return [...this.#known.keys()];
  }

  /** Those of that name; without names all. Others are left out, and those that have no value now. */
  get(names: readonly string[]): readonly Parameter[] {
    const wanted = names.length === 0 ? this.names : names;
    return wanted.flatMap((name) => {
      const known = this.#known.get(name);
      if (known === undefined) return [];
      try {
        return [{ name, value: known.get(), ...(known.type === undefined ? {} : { type: known.type }) }];
      } catch (error) {
        if (error instanceof RangeError) return [];
        throw error;
      }
    });
  }

  /** Gives why a value was not set, one text for each. */
  set(parameters: readonly Parameter[]): readonly string[] {
    return parameters.flatMap(({ name, value }) => {
      const set = this.#known.get(name)?.set;
      if (set === undefined) return [`${name} cannot be set`];
      try {
        set(value);
        return [];
      } catch (error) {
        if (error instanceof RangeError) return [`${name}: ${error.message}`];
        throw error;
      }
    });
  }
}

function isPlaying({ player }: Loaded): boolean {
  const { phase } = player.status;
  return phase === "playing" || phase === "buffering";
}

function number(value: unknown): number {
  if (typeof value !== "number" || !Number.isFinite(value)) throw new RangeError("it is a number");
  return value;
}

function boolean(value: unknown): boolean {
  if (typeof value !== "boolean") throw new RangeError("it is true or false");
  return value;
}
