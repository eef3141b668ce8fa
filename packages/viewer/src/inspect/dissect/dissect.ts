import { dissectCarla } from "./carla.ts";
import { type Field, Fields } from "./fields.ts";
import { dissectFlightGear } from "./flightgear.ts";
import { dissectHypercube } from "./hypercube.ts";
import { dissectMira } from "./mira.ts";
import { dissectNanover } from "./nanover.ts";

/** What the fields of a record depend on beside its bytes. */
export interface Known {
  readonly format: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Names of FlightGear's numbers, in the order of a frame; of other formats none. */
  readonly signals: readonly string[];
}

/**
 * The fields of a record, ascending and without gaps: what nobody can name is `rest`, from where it stops fitting.
 * `bytes` may be the record's beginning only.
 */
export function dissect(kind: string, bytes: Uint8Array, { format, metadata, signals }: Known): readonly Field[] {
  const profile = metadata["profile"] as { readonly endian?: unknown } | undefined;
  const fields = new Fields(bytes, format !== "hypercube" && profile?.endian !== ">");
  try {
    if (kind === "damaged") fields.raw("damaged", bytes.length);
    else if (format === "carla") dissectCarla(fields, kind, metadata);
    else if (format === "mira") dissectMira(fields, kind);
    else if (format === "flightgear") dissectFlightGear(fields, kind, metadata, signals);
    else if (format === "nanover") dissectNanover(fields, kind);
    else if (format === "hypercube") dissectHypercube(fields, kind);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  const named = fields.all.at(-1)?.end ?? 0;
  if (named === bytes.length) return fields.all;
  const text = `${bytes.length - named} bytes`;
  return [...fields.all, { name: "rest", start: named, end: bytes.length, text, role: "payload" }];
}
