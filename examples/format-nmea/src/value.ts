import { type Report, reportOf } from "./ais.ts";
import { FIELDS, readSentence } from "./sentence.ts";

/**
 * What a sentence decodes to: `talker`, `formatter`, and its fields by their names, as they are written. `report` is what
 * another vessel reports, where that is understood.
 */
export type NmeaValue = { readonly [field: string]: string | Report };

export function nmeaValueOf(bytes: Uint8Array): NmeaValue {
  const sentence = readSentence(bytes);
  const { talker, formatter, fields } = sentence;
  const named: Record<string, string> = { talker, formatter };
  for (const [i, text] of fields.entries()) named[nameOf(formatter, i)] = text;
  const report = reportOf(sentence);
  return report === null ? named : { ...named, report };
}

/** Name of a field of a sentence. */
export function nameOf(formatter: string, index: number): string {
  return FIELDS[formatter]?.[index] ?? `field[${index}]`;
}
