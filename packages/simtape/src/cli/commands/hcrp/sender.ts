/** A connection that sends lines. */
export interface Sender {
  /** For messages. */
  readonly name: string;
  /** What is sent, as it comes; the next piece is read when it is asked for. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** A line back, where there is a way. False: the sender reads too little of what it is answered, and the line is dropped. */
  answer(line: string): boolean;
  /** Ends the connection, behind what was answered. */
  close(): void;
}
