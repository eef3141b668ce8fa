/** The bit of each dot of a cell, row by row, two in a row (Unicode, "Braille Patterns", U+2800). */
const BITS = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80] as const;
const BLANK = 0x2800;

/** A picture of dots in a terminal: each cell has two dots beside each other and four below each other. */
export class Braille {
  readonly width: number;
  readonly height: number;
  readonly #cells: Uint8Array;

  /** In cells. */
  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.#cells = new Uint8Array(width * height);
  }

  /** Dots from the left and from the top; what is outside is left out. */
  dot(x: number, y: number): void {
    const column = Math.floor(x);
    const row = Math.floor(y);
    if (!(column >= 0 && row >= 0 && column < 2 * this.width && row < 4 * this.height)) return;
    this.#cells[(row >> 2) * this.width + (column >> 1)]! |= BITS[(row & 3) * 2 + (column & 1)]!;
  }

  /** A straight line between two dots, both of them included. */
  line(x0: number, y0: number, x1: number, y1: number): void {
    const steps = Math.ceil(Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0)));
    if (!(steps <= 4 * (2 * this.width + 4 * this.height))) return;
    for (let i = 0; i <= steps; i++) {
      const share = steps === 0 ? 0 : i / steps;
      this.dot(x0 + (x1 - x0) * share, y0 + (y1 - y0) * share);
    }
  }

  /** One text for each row of cells; cells without a dot are spaces. */
  rows(): string[] {
    return Array.from({ length: this.height }, (_, row) => {
      let text = "";
      for (let column = 0; column < this.width; column++) {
        const cell = this.#cells[row * this.width + column]!;
        text += cell === 0 ? " " : String.fromCodePoint(BLANK + cell);
      }
      return text;
    });
  }
}
