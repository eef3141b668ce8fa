/** The name of a sibling when the main file goes from `main` to `target`: what they share changes with it. */
export function siblingName(sibling: string, main: string | null, target: string | null): string {
  if (main === null || target === null) return sibling;
  const stem = stemOf(main);
  return sibling.startsWith(`${stem}.`) ? stemOf(target) + sibling.slice(stem.length) : sibling;
}

function stemOf(name: string): string {
  const dot = name.indexOf(".", 1);
  return dot < 0 ? name : name.slice(0, dot);
}
