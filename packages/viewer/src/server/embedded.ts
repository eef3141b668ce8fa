import type { Given } from "../address.ts";
import type { Trouble } from "../player/trouble.ts";
import { ask, at } from "./api.ts";
import { ghostsIn, locatorOf } from "./recording/locator.ts";
import { serverRoot } from "./root.ts";

/** Between two looks at a copy that is being made, milliseconds. */
const LOOK_EVERY = 1000;

/** What shows why there is nothing yet. */
interface Notices {
  reason: Trouble | null;
}

/**
 * What the path of a server's page shows in a frame: a link, or a recording of the library. Null: the path names none.
 * Rejects with `Refusal`.
 */
export async function givenHere(notices: Notices): Promise<Given | null> {
  const [kind, id = ""] = location.pathname.slice((serverRoot() ?? "/").length).split("/");
  if (kind === "s") return sharedBy(id, notices);
  if (kind !== "r") return null;
  const details = await ask("GET /api/recordings/{id}", { params: { id } });
  return { main: locatorOf(details), ghosts: await ghostsIn(location.search) };
}

/** Waits for a part that is still being made. */
async function sharedBy(secret: string, notices: Notices): Promise<Given> {
  while (true) {
    const { name, state, url } = await ask("GET /api/shares/{secret}", { params: { secret } });
    if (url !== null) {
      notices.reason = null;
      const place = { kind: "url", name, url: new URL(url, location.origin).href, page: at(`s/${secret}`) } as const;
      return { main: place, ghosts: [] };
    }
    if (state === "failed") throw new Error("The part that this link is about could not be made.");
    notices.reason = { title: name, text: "The part that this link is about is being made …", advice: [], lines: [] };
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY));
  }
}
