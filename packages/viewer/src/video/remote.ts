import { followAddress } from "../address.ts";
import { followCompanions } from "../world/follow-companions.ts";
import type { Session } from "../session.ts";
import { film, type FilmOptions, type Filmed } from "./film.ts";
import type { EncoderOptions } from "./encoder.ts";
import type { FrameEncoder } from "./frame-encoder.ts";
import { type Codec, codecsFor } from "./kinds.ts";
import { readPath } from "./path.ts";
import { pngOf } from "./png-encoder.ts";
import { scheduleOf } from "./schedule.ts";
import type { VideoSink } from "./sink.ts";

/** Bytes that wait to be fetched, before frames wait for them. */
const ROOM = 8 << 20;
/** Milliseconds until an empty answer. */
const TIMEOUT = 500;

/** A part of the file, or with `"pictures"` a whole PNG: then `position` is the number of its frame. */
interface Piece {
  readonly position: number;
  /** Base64. */
  readonly bytes: string;
}

/** What is new. */
interface News {
  readonly pieces: readonly Piece[];
  readonly done: number;
  readonly total: number;
  readonly end: Omit<Filmed, "file"> | null;
  readonly failure: string | null;
}

/** As `FilmOptions`; `pictures` are PNG files of their own. The path is checked here. */
interface RemoteOptions extends Omit<FilmOptions, "kind" | "path"> {
  readonly kind: FilmOptions["kind"] | "pictures";
  readonly path: unknown;
}

/** A video for a program that drives this page: it asks for pieces of the file, one after another. */
class RemoteFilm {
  readonly #controller = new AbortController();
  #pieces: Piece[] = [];
  #waiting = 0;
  #done = 0;
  readonly #total: number;
  #end: News["end"] = null;
  #failure: string | null = null;
  #news: () => void = () => undefined;
  #room: () => void = () => undefined;

  constructor(session: Session, options: FilmOptions, isPictures: boolean) {
    this.#total = scheduleOf(options, options.path).count;
    const sink: VideoSink = {
      write: (bytes, position) => this.#take(bytes, position),
      close: async () => null,
      abort: async () => undefined,
    };
    const encoderOf = isPictures ? async ({ sink: to }: EncoderOptions) => new Pictures(to) : undefined;
    film(session, options, sink, this.#controller.signal, ({ done }) => this.#tell(done), encoderOf).then(
      ({ frames, width, height, codec }) => {
        this.#end = { frames, width, height, codec };
        this.#news();
      },
      (error: unknown) => {
        this.#failure = error instanceof Error ? error.message : String(error);
        this.#news();
      },
    );
  }

  /** Pieces since the last call, as soon as there are some. */
  async next(): Promise<News> {
    if (this.#pieces.length === 0 && this.#end === null && this.#failure === null) {
      await new Promise<void>((resolve) => {
        this.#news = resolve;
        setTimeout(resolve, TIMEOUT);
      });
    }
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#waiting = 0;
    this.#room();
    return { pieces, done: this.#done, total: this.#total, end: this.#end, failure: this.#failure };
  }

  cancel(): void {
    this.#controller.abort();
  }

  #tell(done: number): void {
    this.#done = done;
    this.#news();
  }

  async #take(bytes: Uint8Array<ArrayBuffer>, position: number): Promise<void> {
    this.#pieces.push({ position, bytes: base64Of(bytes) });
    this.#waiting += bytes.length;
    this.#news();
    if (this.#waiting > ROOM) {
      await new Promise<void>((resolve) => {
        this.#room = resolve;
      });
    }
  }
}

class Pictures implements FrameEncoder {
  readonly #sink: VideoSink;

  constructor(sink: VideoSink) {
    this.#sink = sink;
  }

  async add(canvas: HTMLCanvasElement, frame: number): Promise<void> {
    await this.#sink.write(await pngOf(canvas), frame);
  }

  async finish(): Promise<void> {
    // each is whole
  }

  async cancel(): Promise<void> {
    // nothing is held
  }
}

/** What `simtape render` finds in the page, as `simtapeVideo`. */
interface RemoteVideo {
  /** Resolves when the world of the recording has been read, with what of it is not shown, in sentences. */
  ready(): Promise<readonly string[]>;
  /** What is wrong with a camera path; null: nothing. */
  pathFault(path: unknown): string | null;
  codecs(kind: "mp4" | "webm", width: number, height: number): Promise<readonly Codec[]>;
  begin(options: RemoteOptions): void;
  next(): Promise<News>;
  cancel(): void;
}

/** Opens what the address names, and makes videos of it for a program that asks. */
export function serveVideos(session: Session): void {
  let reading = Promise.resolve();
  followAddress(session);
  const onReading = (next: Promise<void>): void => {
    reading = next;
  };
  followCompanions(session, onReading, true);
  Object.assign(globalThis, { simtapeVideo: remoteVideo(session, () => reading) });
}

function remoteVideo(session: Session, readingOf: () => Promise<void>): RemoteVideo {
  let running: RemoteFilm | null = null;
  return {
    ready: async () => {
      await readingOf();
      return session.companions.value.flatMap(({ name, scenery }) =>
        scenery.findings
          .filter(({ severity }) => severity === "damage")
          .map(({ message }) => `${name} is not shown: ${message}`),
      );
    },
    pathFault: (path) => {
      try {
        readPath(path);
        return null;
      } catch (error) {
        return (error as Error).message;
      }
    },
    codecs: codecsFor,
    begin: ({ kind, path, ...options }) => {
      running?.cancel();
      const isPictures = kind === "pictures";
      const read = path === null ? null : readPath(path);
      running = new RemoteFilm(session, { ...options, kind: isPictures ? "png" : kind, path: read }, isPictures);
    },
    next: () => {
      if (running === null) throw new Error("no video has begun");
      return running.next();
    },
    cancel: () => running?.cancel(),
  };
}

function base64Of(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 0x8000) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)));
  }
  return btoa(parts.join(""));
}
