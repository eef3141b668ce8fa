import type { Bus } from "./bus.ts";

/** The listeners of this node, by topic. */
export class Hearers {
  readonly #byTopic = new Map<string, Set<(message: string) => void>>();

  add(topic: string, hear: (message: string) => void): () => void {
    const hearers = this.#byTopic.get(topic) ?? new Set();
    this.#byTopic.set(topic, hearers);
    hearers.add(hear);
    return () => {
      hearers.delete(hear);
      if (hearers.size === 0 && this.#byTopic.get(topic) === hearers) this.#byTopic.delete(topic);
    };
  }

  tell(topic: string, message: string): void {
    for (const hear of [...(this.#byTopic.get(topic) ?? [])]) hear(message);
  }
}

/** Gets what this thread publishes, to pass it to the other threads of the process. */
export type Relay = (topic: string, message: string) => void;

/** A bus within one process. */
export function localBus(relay: Relay = () => undefined): LocalBus {
  const hearers = new Hearers();
  return {
    publish: (topic, message) => {
      relay(topic, message);
      queueMicrotask(() => hearers.tell(topic, message));
    },
    subscribe: (topic, hear) => hearers.add(topic, hear),
    receive: (topic, message) => hearers.tell(topic, message),
    isConnected: true,
    close: () => Promise.resolve(),
  };
}

export interface LocalBus extends Bus {
  /** Passes on what another thread has published. */
  receive(topic: string, message: string): void;
}
