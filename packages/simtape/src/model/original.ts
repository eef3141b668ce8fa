/** A file that a recording carries inside, byte for byte: of the recording that it was converted from. */
export interface Original {
  readonly name: string;
  /** Id of the format of the recording that it is the main file of; null: not said, or a file beside one. */
  readonly format: string | null;
  readonly byteLength: number;
  /** Lower-case hexadecimal digits. */
  readonly sha256: string;
  /** Its bytes in order. Throws `RecordingError` when they are not all there, or are not the ones that were carried. */
  bytes(): AsyncIterable<Uint8Array>;
}

/** What says of a file that is carried as attachments what it is: the name of that record. */
export const ORIGINAL = "simtape:original";

/** Of piece `piece`, from 0, of so many attachments that carry a file. */
export function attachmentName(name: string, piece: number, pieces: number): string {
  return pieces === 1 ? `original/${name}` : `original/${name}.${piece + 1}-of-${pieces}`;
}
