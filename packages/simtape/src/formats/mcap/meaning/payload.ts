import { LayoutError } from "../../../bytes/error.ts";
import type { Value } from "../../../model/value.ts";
import type { Decode, Definition } from "./schema.ts";

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** How the payloads of a channel are decoded (spec §6); null: they stay bytes. Decoders load on use. */
export async function decoderOf({ channel }: Definition): Promise<Decode | null> {
  switch (channel.encoding) {
    case "json":
      return decodeJson;
    default:
      return null;
  }
}

function decodeJson(payload: Uint8Array): Value {
  try {
    return JSON.parse(UTF8.decode(payload)) as Value;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new LayoutError("malformed", `the payload is no JSON: ${why}`, 0);
  }
}
