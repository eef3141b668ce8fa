import type { Dissector, Fields, Kit, Part } from "simtape/kit";
import { CHANNELS, DIALECTS, type Dialect, MAGIC } from "./layout.ts";

/** Names every byte of a log. Fields of a payload have the names of the members of its value. */
export function dissectorOf({ fieldsIn, parts }: Kit, dialect: Dialect): Dissector {
  const { as, f64le, i64le, noted, oneOf, sizedText, struct, text, u16le, u32le, u8 } = parts;
  const numbers = (...notes: string[]): Part => {
    const each = notes.map((note) => noted(f64le, note));
    return (fields, name) => {
      for (const [i, number] of each.entries()) number(fields, `${name}[${i}]`);
    };
  };
  const rotation =
    dialect === "quaternion" ? numbers("x", "y", "z", "w") : numbers("roll, deg", "pitch, deg", "yaw, deg");
  const payloads = [
    as("value", struct({ thing: u32le, position: numbers("x, m", "y, m", "z, m"), rotation })),
    as("value", struct({ thing: u32le })),
  ];
  const frame = struct({ kind: oneOf(u8, CHANNELS), time: as("value", noted(i64le, "ns")) });
  const checksum = struct({ crc: u32le });
  const header = struct({
    magic: text(MAGIC.length),
    dialect: oneOf(u8, DIALECTS),
    epoch: as("value", noted(i64le, "ns since 1970")),
    title: as("value", sizedText(u16le)),
  });
  return {
    record: async ({ kind, bytes }, options) => {
      const payload = payloads[CHANNELS.findIndex((name) => name === kind)];
      const parts = kind === "header" ? [header] : payload === undefined ? [] : [frame, payload, checksum];
      const read = (fields: Fields): void => {
        for (const part of parts) part(fields, "");
      };
      return { fields: fieldsIn(bytes, read, options?.most), contents: null };
    },
    message: (batch, row, options) =>
      fieldsIn(batch.payload(row), (fields) => payloads[batch.channel[row]!]!(fields, ""), options?.most),
  };
}
