import type { Value } from "./value.ts";

/** Where the metadata of a recording keep a text. */
export interface TextRoom {
  /** Metadata with it, for `CreateOptions`. */
  put(text: string): Readonly<Record<string, Value>>;
  /** Undefined: there is none. */
  read(metadata: Readonly<Record<string, Value>>): Value | undefined;
}

/** The room of those that keep it under these keys of the metadata, one in the other. */
export function roomAt(...keys: readonly string[]): TextRoom {
  return {
    put: (text) => keys.reduceRight<Value>((inner, key) => ({ [key]: inner }), text) as Readonly<Record<string, Value>>,
    read: (metadata) => {
      let found: Value | undefined = metadata;
      for (const key of keys) {
        if (typeof found !== "object" || found === null || ArrayBuffer.isView(found)) return undefined;
        found = (found as { readonly [key: string]: Value })[key];
      }
      return found;
    },
  };
}
