/** A UDP socket. What it sends may be lost on the way, and is then not sent again. */
export interface Datagrams {
  /** Where it listens. */
  readonly port: number;
  /** Called with each datagram. The bytes belong to the callee. */
  onMessage: (bytes: Uint8Array) => void;
  /** Without effect after `close()`. */
  send(bytes: Uint8Array, host: string, port: number): void;
  /** Idempotent. */
  close(): Promise<void>;
}
