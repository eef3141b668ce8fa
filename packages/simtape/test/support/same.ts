import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";

/** As `toEqual`, which takes long for large data without classes: what Node finds equal is equal. */
export function expectSame(found: unknown, expected: unknown, what?: string): void {
  if (!isDeepStrictEqual(found, expected)) expect(found, what).toEqual(expected);
}
