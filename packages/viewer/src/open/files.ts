import type { Locator } from "../protocol.ts";
import { saidIn } from "../said.ts";
import { serverRoot } from "../server/root.ts";

/** Every file that was let go of, those inside folders too. To be called while the event is being handled. */
export async function droppedFiles(transfer: DataTransfer): Promise<File[]> {
  const entries = [...transfer.items].map((item) => (item.kind === "file" ? item.webkitGetAsEntry() : null));
  const plain = [...transfer.files];
  if (!entries.some((entry) => entry?.isDirectory === true)) return plain;
  return (await import("./folders.ts")).filesOf(entries);
}

/** Main files of recordings that are a folder, and nothing: names that say nothing of what it is. */
const NAMELESS = /^(meta\.hcrp|preamble\.dat|seg-0+\.hcs)?$/;

/** A recording behind an address, relative ones from the page. Throws `TypeError` when it is none. */
export function locatorAt(address: string): Locator {
  const url = new URL(address, document.baseURI);
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new TypeError(`not a web address: ${address}`);
  const name = url.pathname.split("/").findLast((part) => !NAMELESS.test(part)) ?? url.host;
  return { kind: "url", name: decodeURIComponent(name), url: url.href };
}

/** Whether a recording is one of this machine, which `simtape view` serves. */
export function isViewed(place: Locator): boolean {
  return (
    place.kind === "url" &&
    saidIn("recordings") !== "" &&
    place.url.startsWith(new URL("files/", document.baseURI).href)
  );
}

/** Whether a recording comes from the server of this page, of either kind: then it may have a seek index beside it. */
export function isOffered(place: Locator): boolean {
  if (place.kind !== "url") return false;
  if (isViewed(place)) return true;
  const root = serverRoot();
  return (
    root !== null && place.url.startsWith(`${location.origin + root}api/recordings/`) && place.url.includes("/files/")
  );
}
