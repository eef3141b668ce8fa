import type { Fields } from "./fields.ts";

/** Facts: packages/simtape/src/formats/mira/README.md. */
export function dissectMira(fields: Fields, kind: string): void {
  if (kind === "header") {
    fields.u32("version");
    if (fields.left >= 20) fields.i64("start, ns since 1970");
    if (fields.left >= 20) fields.i64("zone offset, ns");
    if (fields.left > 12) fields.raw("unknown", fields.left - 12);
    fields.u32("blocks");
    fields.u64("first channel info at");
    return;
  }
  fields.u8("chunk type");
  fields.u32("chunk size");
  switch (kind) {
    case "block":
      fields.u32("messages");
      fields.u32("size of contents");
      fields.i64("first time, ns");
      fields.i64("last time, ns");
      break;
    case "channel-info":
      fields.u64("next info at");
      fields.i64("first time, ns");
      fields.i64("last time, ns");
      fields.text("name", fields.u32("name length"));
      fields.text("type", fields.u32("type length"));
      fields.raw("meta data", fields.u64("meta data length"));
      fields.u64("data size");
      fields.u64("index table at");
      break;
    case "message": {
      fields.i64("time, ns");
      fields.text("channel", fields.u32("channel length"));
      fields.text("frame id", fields.u32("frame id length"));
      fields.u32("sequence id");
      const stored = fields.u32("payload length");
      if (fields.u8("compressed") === 1) fields.u32("uncompressed size");
      fields.payload("payload", stored);
      break;
    }
    case "index": {
      const count = fields.u32("entries");
      for (let i = 0; i < count; i++) {
        fields.u64(`[${i}].block at`);
        fields.u64(`[${i}].offset in block`);
        fields.i64(`[${i}].time, ns`);
      }
      break;
    }
    default:
  }
}
