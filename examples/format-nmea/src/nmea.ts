import type { Format, Kit } from "simtape/kit";
import { openLog } from "./reader.ts";
import { lineEnd } from "./layout.ts";
import { type CHANNELS, judge, sentenceWithin } from "./sentence.ts";
import type { NmeaValue } from "./value.ts";

/** What messages decode to, by channel. */
export type NmeaChannels = { readonly [Name in (typeof CHANNELS)[number]]: NmeaValue };

/** NMEA 0183: what the instruments of a vessel say, line by line. */
export default function nmea(kit: Kit): Format<NmeaChannels, "nmea"> {
  return {
    id: "nmea",
    name: "NMEA 0183 log",
    extensions: ["nmea", "nmea0183"],
    sniff: (head, hint) => (hasSentence(head, hint.size === null || hint.size <= head.length) ? "certain" : null),
    async open(from, report, options) {
      const source = await from.open();
      if (source === null) throw new kit.SourceError("failed", "nothing there");
      return openLog(kit, source, report, options);
    },
    traits: async () => (await import("./traits.ts")).traitsOf(kit),
    writing: async () => (await import("./writing.ts")).writingOf(kit),
  };
}

/** Whether one of the first lines is a sentence that is whole. */
function hasSentence(bytes: Uint8Array, isLast: boolean): boolean {
  for (let at = 0; at < bytes.length; ) {
    const end = lineEnd({ bytes, end: bytes.length, isLast }, at);
    if (end === 0) return false;
    if (judge(bytes, at, end) === "sentence" || sentenceWithin(bytes, at, end) > 0) return true;
    at = end;
  }
  return false;
}
