/** A message of a WebSocket: bytes, or text. */
export type LinkMessage = Uint8Array | string;

/** One WebSocket connection, of a client or of a server. Messages arrive in order, one call each, never after the end. */
export interface Link {
  /** Of the other end, for messages: an address. */
  readonly peer: string;
  /** The subprotocol that both agreed on; "" without one. */
  readonly protocol: string;
  /** Bytes that were sent and that the network has not taken. */
  readonly waiting: number;
  /** Called with each message. Bytes belong to the callee. */
  onMessage: (message: LinkMessage) => void;
  /** Called once when the connection has ended: with the reason if it failed, with null after `close()` of either end. */
  onEnd: (failure: Error | null) => void;
  /** Without effect after the end. */
  send(message: LinkMessage): void;
  /** Stops reading from the network until `resume()`. */
  pause(): void;
  resume(): void;
  /** Says goodbye, and ends the connection a second later if the other end does not answer. Idempotent. */
  close(code?: number, reason?: string): void;
}

/** A place at which links arrive. */
export interface LinkListener {
  /** Where it listens, as `ws://127.0.0.1:38801`. */
  readonly address: string;
  /** Ends all links. Idempotent. */
  close(): Promise<void>;
}
