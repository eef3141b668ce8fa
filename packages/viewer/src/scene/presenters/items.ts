import type { Value } from "simtape";

/** Slots beyond those of hands and armour: who has something there counts slots in another way. */
const [FIRST_OTHER, LAST_OTHER] = [6, 45];

/** The item at a path below a thing, as `minecraft:stone`; null: there is none, or its slots are not those of hands. */
export function itemAt(values: ReadonlyMap<string, Value>, thing: string, path: string): string | null {
  const item = nameOfItem(values.get(`${thing}/${path}`));
  if (item === null) return null;
  for (let slot = FIRST_OTHER; slot <= LAST_OTHER; slot++)
    if (nameOfItem(values.get(`${thing}/items/${slot}`)) !== null) return null;
  return item;
}

/** The name of an item, as text or with components beside it; null: none. */
export function nameOfItem(value: Value | undefined): string | null {
  const text = typeof value === "string" ? value : (value as { readonly id?: unknown } | null | undefined)?.id;
  if (typeof text !== "string" || text === "") return null;
  const [name = ""] = text.split(/[[{]/);
  return /(^|:)air$/.test(name) ? null : name;
}
