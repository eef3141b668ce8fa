/** Longest message, in bytes of UTF-8: the limit of PostgreSQL. */
export const LONGEST_MESSAGE = 7900;

/** Thrown when a bus cannot be reached at the start; later, the bus waits until it can connect again. */
export class BusError extends Error {
  override readonly name = "BusError";
}

/**
 * Small messages between the nodes of one server: wake-ups, clocks, progress of live recordings. A message may be lost
 * when a connection breaks; facts that must not be lost are in the database.
 */
export interface Bus {
  /**
   * Sends to all listeners of the topic, also on this node. A topic has letters, digits and `._-`; throws `RangeError`
   * for a message that is too long.
   */
  publish(topic: string, message: string): void;
  /** Call the function that it returns to stop listening. */
  subscribe(topic: string, hear: (message: string) => void): () => void;
  /** Whether messages can reach other nodes now. */
  readonly isConnected: boolean;
  close(): Promise<void>;
}
