import type { TimeRange } from "../values/time.ts";
import type { ChannelInfo } from "../values/value.ts";

/** Which messages, in which order. */
export interface Query extends TimeRange {
  /** Only these; absent: all. */
  readonly channels?: readonly ChannelInfo[] | undefined;
  /** With `channels`: messages of others may be among them, for those who pass over them at less cost than picking has. */
  readonly isLoose?: boolean | undefined;
  /** Latest batch first; rows inside a batch stay ascending, read them from the end. */
  readonly reverse?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}
