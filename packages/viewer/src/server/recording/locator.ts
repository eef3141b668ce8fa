import type { Locator } from "../../protocol.ts";
import { companionsAmong } from "../../world/registry.ts";
import { ask, at } from "../api.ts";
import type { Details, Item } from "../shapes.ts";

/** Where the page reads a recording of the library. */
export function locatorOf({ id, name, url }: Pick<Item, "id" | "name" | "url">, page = at(`r/${id}`)): Locator {
  return { kind: "url", name, url: new URL(url, location.origin).href, page };
}

/** Recordings that the address names as ghosts: `?ghost=ID`, several. Those that are not there are left out. */
export async function ghostsIn(search: string): Promise<readonly Locator[]> {
  const ids = new URLSearchParams(search).getAll("ghost");
  const found = await Promise.all(
    ids.map((id) => ask("GET /api/recordings/{id}", { params: { id } }).catch(() => null)),
  );
  return found.flatMap((details) => (details === null ? [] : [locatorOf(details)]));
}

/** Where the page reads the files that show the world of a recording; those that others need lie beside them. */
export function worldOf({ companions, url }: Pick<Details, "companions" | "url">): readonly Locator[] {
  const { own } = companionsAmong(companions.map(({ name }) => name));
  const beside = new URL(url, location.origin);
  return own.map((name) => ({ kind: "url", name, url: new URL(encodeURIComponent(name), beside).href }));
}
