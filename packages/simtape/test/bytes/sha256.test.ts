import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Sha256 } from "../../src/bytes/sha256.ts";

function expected(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

test("the digest of pieces is that of the whole, as Node computes it", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 6 }), (pieces) => {
      const hash = new Sha256();
      for (const piece of pieces) hash.update(piece);
      expect(hash.digest()).toBe(expected(new Uint8Array(Buffer.concat(pieces))));
    }),
  );
});

test("every length around a block has its digest", () => {
  for (let length = 0; length <= 130; length++) {
    const bytes = new Uint8Array(length).map((_, i) => i * 7);
    expect(new Sha256().update(bytes).digest(), `${length} bytes`).toBe(expected(bytes));
  }
});
