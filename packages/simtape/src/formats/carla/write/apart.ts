import type { Reader } from "../../../model/reader.ts";
import { dialectOf } from "../meaning/dialect.ts";

/** A file has one layout: what makes packets of one release unreadable, or read as something else, behind another's. */
export function apart(one: Reader, other: Reader): string | null {
  const [a, b] = [dialectOf(one), dialectOf(other)];
  if (a.scalar !== b.scalar) return `its vectors have numbers of ${b.scalar} bytes, not ${a.scalar}`;
  if (a.wheel !== null && b.wheel !== null && a.wheel !== b.wheel)
    return `its physics control has wheels of ${b.wheel} bytes, not ${a.wheel}`;
  const named = (version: number): string => (version >= 2 ? "from 2 on" : "before 2");
  if (a.version >= 2 !== b.version >= 2)
    return `its types of attributes are those of a header version ${named(b.version)}, not ${named(a.version)}`;
  return null;
}
