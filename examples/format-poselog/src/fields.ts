import type { Dissector, Kit, Part } from "simtape/kit";
import { CHANNELS, DIALECTS, type Dialect, MAGIC } from "./layout.ts";

/** Names every byte of a log. Fields of a payload are called as the members of what it decodes to. */
export function dissectorOf({ fieldsIn, parts }: Kit, dialect: Dialect): Dissector {
  const { as, f64le, i64le, noted, oneOf, sizedText, struct, text, u16le, u32le, u8 } = parts;
  const numbers = (axes: readonly string[], unit: string): Part => {
    const each = axes.map((axis) => noted(f64le, `${axis}, ${unit}`));
    return (fields, name) => each.forEach((of, i) => void of(fields, `${name}[${i}]`));
  };
  const turn = dialect === "quaternion" ? numbers(["x", "y", "z", "w"], "1") : numbers(["roll", "pitch", "yaw"], "deg");
  const payloads = [
    as("value", struct({ thing: u32le, position: numbers(["x", "y", "z"], "m"), turn })),
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
      return {
        fields: fieldsIn(bytes, (fields) => parts.forEach((of) => of(fields, "")), options?.most),
        contents: null,
      };
    },
    message: (batch, row, options) =>
      fieldsIn(batch.payload(row), (fields) => payloads[batch.channel[row]!]!(fields, ""), options?.most),
  };
}
