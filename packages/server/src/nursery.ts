import { setFlagsFromString } from "node:v8";

/**
 * Keeps small what V8 takes for new objects while a process starts: loading modules fills it once, and what it has grown
 * by is not given back. Call what it gives when the start is over.
 */
export function keepNurserySmall(): () => void {
  setFlagsFromString("--semi-space-growth-factor=1");
  return () => setFlagsFromString("--semi-space-growth-factor=2");
}
