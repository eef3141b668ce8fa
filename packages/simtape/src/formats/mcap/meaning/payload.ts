import { LayoutError } from "../../../bytes/error.ts";
import { isNestedDeeper } from "../../../bytes/json-depth.ts";
import type { Value } from "../../../model/values/value.ts";
import type { Decode, Definition } from "./schema.ts";

const UTF8 = new TextDecoder("utf-8", { fatal: true });
/** How deep values may nest. */
const DEPTH = 128;

/**
 * How the payloads of a channel are decoded (spec §6); null: they stay bytes, as where the schema cannot be read. Decoders
 * load on use.
 */
export async function decoderOf({ channel, schema }: Definition): Promise<Decode | null> {
  if (channel.encoding === "json") return decodeJson;
  if (channel.encoding === "cbor") return (await import("./cbor.ts")).cborDecoder();
  if (channel.encoding === "msgpack") return (await import("./messagepack.ts")).decodePacked;
  if (schema === null) return null;
  try {
    switch (`${channel.encoding} ${schema.encoding}`) {
      case "protobuf protobuf":
        return (await import("./protobuf.ts")).protobufDecoder(schema.data, schema.name);
      case "ros1 ros1msg":
        return (await import("./ros.ts")).ros1Decoder(schema.data, schema.name);
      case "cdr ros2msg":
        return (await import("./ros.ts")).cdrDecoder(schema.data, schema.name);
      case "cdr ros2idl":
      case "cdr omgidl":
        return await (await import("./idl.ts")).idlDecoder(schema.data, schema.name);
      case "flatbuffer flatbuffer":
        return (await import("./flatbuffer.ts")).flatbufferDecoder(schema.data, schema.name);
      default:
        return null;
    }
  } catch (error) {
    if (error instanceof LayoutError) return null;
    throw error;
  }
}

function decodeJson(payload: Uint8Array): Value {
  if (isNestedDeeper(payload, DEPTH)) throw new LayoutError("malformed", "JSON nested too deep", 0);
  try {
    return JSON.parse(UTF8.decode(payload)) as Value;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new LayoutError("malformed", `the payload is no JSON: ${why}`, 0);
  }
}
