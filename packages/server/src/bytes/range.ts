/**
 * `[start, end)` of a file of `bytes`; null: the request wants the whole file, or its range cannot be parsed; `beyond`:
 * the range is outside of the file.
 */
export function rangeOf(header: string | undefined, bytes: number): { start: number; end: number } | "beyond" | null {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") return null;
  const start = first === "" ? Math.max(0, bytes - Number(last)) : Number(first);
  const end = first === "" || last === "" ? bytes : Math.min(bytes, Number(last) + 1);
  if (first !== "" && last !== "" && Number(last) < Number(first)) return null;
  return start >= bytes || end <= start ? "beyond" : { start, end };
}
