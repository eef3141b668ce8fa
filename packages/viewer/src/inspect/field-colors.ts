import type { NamedField } from "../protocol.ts";

/** Colours of values: what belongs together has one, its neighbours another. */
const HUES = 4;

/** Classes by field: of its role, for values a hue by what holds it, and a shade that sets it off from the one before. */
export function fieldClasses(fields: readonly NamedField[]): readonly string[] {
  let hue = HUES - 1;
  let holder: string | null = null;
  let shade = 1;
  return fields.map(({ name, role }) => {
    const held = role === "value" ? holderOf(name) : null;
    if (held !== null && held !== holder) {
      hue = (hue + 1) % HUES;
      shade = 1;
    }
    if (held !== null) holder = held;
    shade = 1 - shade;
    return role === "value" ? `field-value-${hue} field-shade-${shade}` : `field-${role} field-shade-${shade}`;
  });
}

/** What a field is a member of: its name without the last step. */
export function holderOf(name: string): string {
  const end = Math.max(name.lastIndexOf("."), name.lastIndexOf("/"), name.endsWith("]") ? name.lastIndexOf("[") : -1);
  return name.slice(0, end < 0 ? 0 : end);
}

/** For each of `length` bytes the number of its field, from 1; 0: it is in none. */
export function ownersOf(fields: readonly NamedField[], length: number): Uint32Array {
  const owners = new Uint32Array(length);
  fields.forEach(({ start, end }, i) => {
    owners.fill(i + 1, start, end);
  });
  return owners;
}

/** What a field says, and at a byte of a field of many numbers which of them is there. */
export function sayingAt({ start, end, text, note, items }: NamedField, byte: number | null): string {
  const unit = note === null ? "" : ` ${note}`;
  if (items === null || byte === null || byte < start || byte >= end) return `${text}${unit}`;
  const item = Math.floor(((byte - start) * items.length) / (end - start));
  return `[${item}] = ${Number(items[item]!.toPrecision(9))}${unit}`;
}
