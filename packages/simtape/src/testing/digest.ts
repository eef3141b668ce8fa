import { ByteBuilder } from "../bytes/builder.ts";
import { KEYFRAME } from "../model/messages/batch.ts";
import { briefAxes } from "../model/axes/standard-axes.ts";
import type { Recording } from "../model/recording.ts";
import type { State } from "../model/state/state.ts";
import type { Value } from "../model/values/value.ts";

/** In lower-case hexadecimal. Needs WebCrypto, which pages have when they come over HTTPS or from localhost. */
export async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = await globalThis.crypto.subtle.digest("SHA-256", new Uint8Array(bytes));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Of all messages ascending by (time, sequence), each as: time (i64, little-endian, as all of these), length of the
 * channel's name in bytes (u32), the name in UTF-8, 1 for a keyframe or 0 (u8), length of the payload (u32), the payload.
 */
export async function messagesDigest(recording: Recording): Promise<string> {
  const names = recording.channels.map(({ name }) => new TextEncoder().encode(name));
  const out = new ByteBuilder(1 << 16);
  for await (const batch of recording.batches()) {
    for (let i = 0; i < batch.length; i++) {
      const name = names[batch.channel[i]!]!;
      const payload = batch.payload(i);
      out.i64le(batch.time[i]!).u32le(name.length).raw(name);
      out
        .u8(batch.flags[i]! & KEYFRAME)
        .u32le(payload.length)
        .raw(payload);
    }
  }
  return sha256(out.take());
}

/** Of `stateText` in UTF-8. */
export function stateDigest(state: State): Promise<string> {
  return sha256(new TextEncoder().encode(stateText(state)));
}

/**
 * State as JSON without blanks, `{"values":{…},"sets":{name:{"ids":[…],"axes":…,"columns":{name:{"unit":…,"width":…,
 * "interpolation":…,"data":[…]}}}}}`: keys in ascending order of their UTF-16 units but those named here, empty sets left
 * out, axes by `handed`, `up`, `kind` and what does not follow from these, arrays and typed arrays alike, 64-bit integers
 * as decimal text. Numbers that are not whole are rounded to 9 significant digits and to 9 decimals, as engines differ in
 * the last bits of sines; -0 is 0, NaN and the infinities are texts.
 */
export function stateText(state: State): string {
  const sets = byName(state.sets).filter(([, set]) => set.ids.length > 0);
  const setTexts = sets.map(([name, { ids, axes, columns }]) => {
    const columnTexts = byName(columns).map(([column, { unit, width, interpolation, data }]) => {
      const head = `"unit":${JSON.stringify(unit)},"width":${width},"interpolation":${JSON.stringify(interpolation)}`;
      return `${JSON.stringify(column)}:{${head},"data":${canonical(data)}}`;
    });
    const head = `"ids":${canonical(ids)},"axes":${axes === null ? "null" : canonical(briefAxes(axes) as unknown as Value)}`;
    return `${JSON.stringify(name)}:{${head},"columns":{${columnTexts.join(",")}}}`;
  });
  const values = byName(state.values).map(([path, value]) => `${JSON.stringify(path)}:${canonical(value)}`);
  return `{"values":{${values.join(",")}},"sets":{${setTexts.join(",")}}}`;
}

function canonical(value: Value): string {
  switch (typeof value) {
    case "number":
      return numberText(value);
    case "bigint":
      return JSON.stringify(String(value));
    case "object": {
      if (value === null) return "null";
      if (ArrayBuffer.isView(value) || Array.isArray(value)) {
        return `[${Array.from(value as ArrayLike<Value>, canonical).join(",")}]`;
      }
      const members = byName(new Map(Object.entries(value)));
      return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(",")}}`;
    }
    default:
      return JSON.stringify(value);
  }
}

function numberText(value: number): string {
  if (!Number.isFinite(value)) return JSON.stringify(String(value));
  if (Number.isSafeInteger(value)) return String(value === 0 ? 0 : value);
  const rounded = Number(Number(value.toPrecision(9)).toFixed(9));
  return String(rounded === 0 ? 0 : rounded);
}

function byName<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}
