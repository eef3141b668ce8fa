/** "4.10 kB" */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const power = Math.min(3, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toPrecision(3)} ${["B", "kB", "MB", "GB"][power]}`;
}
