import type { LostBeside } from "./carry.ts";
import type { Time } from "../../../model/values/time.ts";

/** Where whole messages of one container go: what the containers differ in. */
export interface Target {
  /**
   * A message of the container's own kind, `bytes[start, end)`. `channel` is its id; -1 when it is of several, which
   * only a zip can have. `view` is of `bytes`. Throws `RangeError` for a time that the container cannot hold.
   */
  put(channel: number, time: Time, bytes: Uint8Array, view: DataView, start: number, end: number): void;
  /** The channel of that id exists from now on. Throws `RangeError` where the container cannot have it. */
  announce(id: number, name: string): void;
  readonly ready: Promise<void> | null;
  flush(): Promise<void>;
  finish(): Promise<void>;
  abort(): Promise<void>;
  /** Damaged members that were carried as they are; all are known once it has finished. */
  readonly damaged?: readonly LostBeside[];
}
