import fc from "fast-check";
import { expect } from "vitest";

/** The same cases in every run, so that a failure can be repeated; `FC_SEED=…` chooses other cases. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env["FC_SEED"] ?? 20_261_121) });

/** Arrays of numbers with the same bytes are equal. If they differ, vitest compares item by item, which is slow. */
function haveSameBytes(a: unknown, b: unknown): true | undefined {
  if (!ArrayBuffer.isView(a) || !ArrayBuffer.isView(b) || a.constructor !== b.constructor) return undefined;
  if (a.byteLength !== b.byteLength || a.byteLength === 0) return undefined;
  return Buffer.compare(bytesOf(a), bytesOf(b)) === 0 ? true : undefined;
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Each test file runs this file, but the testers belong to the process, which files may share. */
const known = globalThis as { hasByteTester?: boolean };
if (known.hasByteTester !== true) expect.addEqualityTesters([haveSameBytes]);
known.hasByteTester = true;
