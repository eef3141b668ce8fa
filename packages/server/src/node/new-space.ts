import { setFlagsFromString } from "node:v8";

/**
 * Limits the space that V8 gives to new objects while a process starts: loading modules fills this space once, and V8
 * does not give back what it has grown by. Call the function that it returns when the start is over.
 */
export function limitNewSpace(): () => void {
  setFlagsFromString("--semi-space-growth-factor=1");
  return () => setFlagsFromString("--semi-space-growth-factor=2");
}
