import { InvalidArgumentError } from "commander";

const UNITS: Readonly<Record<string, number>> = {
  "": 1,
  b: 1,
  k: 1024,
  kb: 1000,
  kib: 1024,
  m: 1024 ** 2,
  mb: 1000 ** 2,
  mib: 1024 ** 2,
  g: 1024 ** 3,
  gb: 1000 ** 3,
  gib: 1024 ** 3,
};

/** Bytes of a size on the command line. Throws `InvalidArgumentError`. */
export function sizeOf(text: string): number {
  const [, number, unit = ""] = /^(\d+(?:\.\d+)?) ?([kmg]?i?b?)$/i.exec(text) ?? [];
  const bytes = Math.round(Number(number) * (UNITS[unit.toLowerCase()] ?? Number.NaN));
  if (!(bytes > 0)) throw new InvalidArgumentError("a size such as 4096, 256KiB, 16MiB or 2GB.");
  return bytes;
}
