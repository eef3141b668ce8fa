/** A recording that clients of an outlet may load. */
export interface Offered {
  readonly id: string;
  /** By which clients choose it: no two have the same. */
  readonly name: string;
  /** Path of its main file in the library. */
  readonly key: string;
  /** Differs when its files do. */
  readonly stamp: string;
}

/** How an outlet plays; what is absent stays as it is. Times in seconds since the start of the recording. */
export interface Playing {
  readonly playing?: boolean | undefined;
  readonly at?: number | undefined;
  /** From -64 to 64 without 0; negative plays backwards. */
  readonly rate?: number | undefined;
  readonly repeat?: boolean | undefined;
}

/** Why an outlet no longer shows a recording, or could not load it. */
export interface Trouble {
  /** Name of the recording. */
  readonly recording: string;
  readonly message: string;
  /** ISO 8601. */
  readonly at: string;
}

/** What an outlet shows, and to how many. */
export interface OutletState {
  readonly name: string;
  readonly kind: string;
  /** Where clients connect. */
  readonly address: string;
  readonly clients: number;
  readonly sentMessages: number;
  readonly sentBytes: number;
  /** Frames and messages that were left out for clients that did not keep up. */
  readonly skipped: number;
  /** Bytes that were sent and that the networks of clients have not taken. */
  readonly waitingBytes: number;
  /** Number of recordings that clients may load. */
  readonly offered: number;
  /** Null: nothing is loaded. */
  readonly loaded: LoadedState | null;
  readonly trouble: Trouble | null;
}

export interface LoadedState {
  /** Id and name of the recording. */
  readonly recording: string;
  readonly name: string;
  readonly phase: string;
  /** Seconds since the start, of the moment that is shown and of the end. */
  readonly time: number;
  readonly seconds: number;
  readonly rate: number;
  readonly repeat: boolean;
}

/** What the thread is asked to do with one outlet. */
export type Wish =
  | { readonly of: "load"; readonly recording: Offered; readonly playing: Playing }
  | { readonly of: "control"; readonly playing: Playing }
  | { readonly of: "unload" };

/** Message to the thread of the outlets. */
export type ToOutlets =
  | { readonly offered: readonly Offered[] }
  | { readonly number: number; readonly outlet: string; readonly wish: Wish }
  | "stop";

/** Message from the thread. The first is `ready`, or `refused` if an outlet cannot listen. */
export type FromOutlets =
  | { readonly ready: readonly OutletState[] }
  | { readonly refused: string }
  | { readonly states: readonly OutletState[] }
  /** A recording begins to be shown. */
  | { readonly shown: string; readonly outlet: string }
  | { readonly number: number; readonly state: OutletState }
  | { readonly number: number; readonly status: number; readonly message: string };
