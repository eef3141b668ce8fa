/** Tallest element that all browsers draw, pixels: longer lists are scrolled through faster than they are long. */
const TALLEST = 12_000_000;

export interface ListShape {
  readonly count: number;
  /** Pixels of a row, and of what is seen of the list. */
  readonly row: number;
  readonly viewport: number;
}

/** Pixels of the element that is scrolled. */
export function heightOf({ count, row }: ListShape): number {
  return Math.min(TALLEST, count * row);
}

/** Rows `[first, last)` to show, and where the first of them goes in the scrolled element. */
export function windowAt(scrollTop: number, shape: ListShape): { first: number; last: number; top: number } {
  const { count, row, viewport } = shape;
  const content = scrollTop * ratioOf(shape);
  const first = Math.max(0, Math.min(count - 1, Math.floor(content / row)));
  const last = Math.min(count, Math.ceil((content + viewport) / row) + 1);
  return { first, last: Math.max(first, last), top: scrollTop - (content - first * row) };
}

/** Where to scroll for a row to be seen whole, as near to where it is as can be. */
export function scrollTo(index: number, scrollTop: number, shape: ListShape): number {
  const { row, viewport } = shape;
  const ratio = ratioOf(shape);
  const content = scrollTop * ratio;
  const top = index * row;
  if (top < content) return top / ratio;
  if (top + row > content + viewport) return (top + row - viewport) / ratio;
  return scrollTop;
}

/** Pixels of the list for a pixel of scrolling. */
function ratioOf(shape: ListShape): number {
  const { count, row, viewport } = shape;
  const height = heightOf(shape);
  return height <= viewport ? 1 : (count * row - viewport) / (height - viewport);
}
