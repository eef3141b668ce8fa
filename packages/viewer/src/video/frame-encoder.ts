/** Makes a file of pictures, given one after another. */
export interface FrameEncoder {
  /** Resolves when it takes the next one; the canvas may then be drawn on. */
  add(canvas: HTMLCanvasElement, frame: number): Promise<void>;
  /** All of it is in the sink, which is not closed. */
  finish(): Promise<void>;
  /** Lets go of what it holds. */
  cancel(): Promise<void>;
}
