/** What `import "simtape-viewer/player"` gives, and the element `<simtape-player>` that it defines. */

/** Columns of one set of things, row by row. */
export interface PlayerColumn {
  readonly data: ArrayLike<unknown>;
  /** Numbers of one row. */
  readonly width: number;
  readonly unit: string | null;
}

/** What is recorded at one time; names and units: docs/state.md. */
export interface PlayerState {
  /** Nanoseconds. */
  readonly time: number;
  readonly values: ReadonlyMap<string, unknown>;
  readonly sets: ReadonlyMap<
    string,
    { readonly ids: ArrayLike<number | string>; readonly columns: ReadonlyMap<string, PlayerColumn> }
  >;
}

/** Why a recording cannot be shown. */
export interface PlayerError {
  /** Of a `RecordingError`; null: another error. */
  readonly code: string | null;
  readonly message: string;
}

/** `reading`: the recording is being opened; `ready`: it plays. */
export type PlayerPhase = "empty" | "reading" | "ready" | "failed";

/**
 * Plays a recording in a page, as `<video>` plays a film. Times are seconds of the recording.
 *
 * Attributes: `src`, `at`, `rate`, `loop`, `autoplay`, `playing`, `theme`, `camera`, `follow`, `viewer`. Each may change at
 * any time.
 *
 * Events, which do not bubble: `loadstart`, `loadedmetadata`, `play`, `pause`, `ended`, `timeupdate`, `seeking`, `seeked`,
 * `ratechange`, `emptied`, `error`.
 */
export declare class SimtapePlayer extends HTMLElement {
  /** Address of the recording, relative to the page; empty: none. */
  src: string;
  /** A recording of this machine, or several files that belong together; it goes before `src`. */
  srcObject: Blob | readonly File[] | null;
  /** Where it begins, as text: `12.5`, `1:30`, `50%`, `t1200`. A change seeks. */
  at: string;
  autoplay: boolean;
  /** The whole recording; the attribute `loop="10,20"` repeats a part. */
  loop: boolean;
  /** `light`, `dark`, or empty: as the system. */
  theme: string;
  /** `orbit`, `follow`, `top`, `first-person`, or six numbers; empty: as suits the recording. */
  camera: string;
  /** `SET/ID` of what the camera goes along with; empty: nothing. */
  follow: string;
  /** Address of a page of simtape, for the link to all panels; empty: no link. */
  viewer: string;
  /** A change seeks. */
  currentTime: number;
  /** Of the last moment; NaN: nothing is open. */
  readonly duration: number;
  /** Of the first moment; NaN: nothing is open. */
  readonly startTime: number;
  /** Negative: backwards. */
  playbackRate: number;
  readonly paused: boolean;
  readonly ended: boolean;
  readonly seeking: boolean;
  readonly phase: PlayerPhase;
  readonly error: PlayerError | null;
  /** What is shown; null: nothing yet. */
  readonly state: PlayerState | null;
  /** Resolves when it plays, which is when the recording is open. Rejects when that fails, or another is opened instead. */
  play(): Promise<void>;
  pause(): void;
  /** Resolves when that time is shown; false: another move came first. */
  seek(seconds: number): Promise<boolean>;
  /** Opens the recording again, from `at`. */
  load(): void;
}

declare global {
  interface HTMLElementTagNameMap {
    "simtape-player": SimtapePlayer;
  }
}
