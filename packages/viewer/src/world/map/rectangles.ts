/** Cells in a block: from a column and a row on, counted from the first. */
export interface Rectangle {
  readonly column: number;
  readonly row: number;
  readonly width: number;
  readonly length: number;
}

/**
 * Rectangles that together are all cells of a kind, none twice: runs in a row, joined with those of the same columns in the
 * rows below. Null: there are more than `most`.
 */
export function rectanglesOf(cells: Uint8Array, width: number, kind: number, most: number): Rectangle[] | null {
  const done: Rectangle[] = [];
  /** Those that reach the row above, by column. */
  let open = new Map<number, Rectangle>();
  for (let row = 0; row * width < cells.length; row++) {
    const next = new Map<number, Rectangle>();
    for (let column = 0; column < width; ) {
      if (cells[row * width + column] !== kind) {
        column++;
        continue;
      }
      const from = column;
      while (column < width && cells[row * width + column] === kind) column++;
      const above = open.get(from);
      const isSame = above !== undefined && above.width === column - from;
      if (isSame) open.delete(from);
      next.set(
        from,
        isSame ? { ...above, length: above.length + 1 } : { column: from, row, width: column - from, length: 1 },
      );
    }
    done.push(...open.values());
    if (done.length + next.size > most) return null;
    open = next;
  }
  done.push(...open.values());
  return done;
}
