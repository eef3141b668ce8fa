import { readFileSync } from "node:fs";
import { LayoutError } from "../../src/index.ts";

/** A file of `test/fixtures/codec`. */
export function fixture(name: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(new URL(`../fixtures/codec/${name}`, import.meta.url)));
}

/** The `LayoutError` that `run` throws; anything else fails the test. */
export function thrown(run: () => unknown): LayoutError {
  try {
    run();
  } catch (error) {
    if (error instanceof LayoutError) return error;
    throw error;
  }
  throw new Error("no LayoutError was thrown");
}

/** Runs `run` on hostile bytes: it may succeed or throw `LayoutError`, nothing else. */
export function survives(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
  }
}

/** Byte runs joined. */
export function bytesOf(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(parts.flatMap((part) => Array.from(part)));
}

/** `"0a 00"` as bytes. */
export function hexBytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text.match(/[0-9a-f]{2}/gi) ?? [], (pair) => Number.parseInt(pair, 16));
}
