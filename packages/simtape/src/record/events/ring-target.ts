import type { RecorderStatus } from "../live/recorder-options.ts";
import type { Ring } from "../live/ring.ts";
import type { World } from "../live/world.ts";
import type { LiveTarget } from "./live-target.ts";

/** Lets events into a ring, which keeps a world and nothing else. */
export class RingTarget implements LiveTarget {
  readonly ring: Ring;
  readonly ready: null = null;

  constructor(ring: Ring) {
    this.ring = ring;
  }

  get tick(): number {
    return this.ring.tick;
  }

  get world(): World {
    return this.ring.world;
  }

  get status(): RecorderStatus {
    const { tick, bytes } = this.ring;
    return { id: "", tick, committedTick: 0, bytes, waiting: 0, dropped: {}, trouble: null, failure: null };
  }

  goTo(tick: number): void {
    this.ring.goTo(tick);
  }

  state(): void {
    throw new RangeError("a ring keeps a world, no states");
  }

  channel(): never {
    throw new RangeError("a ring keeps a world, no events of other kinds");
  }

  write(): void {
    this.channel();
  }

  // what a store would get, and what is said of a whole recording, has no place in a ring
  readonly commit: () => void = nothing;
  readonly poll: () => void = nothing;
  readonly snapshot: () => void = nothing;
  readonly session: () => void = nothing;
  readonly subject: () => void = nothing;
  readonly epoch: () => void = nothing;
}

function nothing(): void {
  // see above
}
