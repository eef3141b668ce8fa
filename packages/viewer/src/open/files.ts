import type { Locator } from "../protocol.ts";
import { serverRoot } from "../server/root.ts";

/** Every file that was let go of, those inside folders too. To be called while the event is being handled. */
export async function droppedFiles(transfer: DataTransfer): Promise<File[]> {
  const entries = [...transfer.items].map((item) => (item.kind === "file" ? item.webkitGetAsEntry() : null));
  const plain = [...transfer.files];
  const folders = entries.filter((entry) => entry?.isDirectory === true);
  if (folders.length === 0) return plain;
  const found: File[] = [];
  for (const entry of entries) if (entry !== null) await collect(entry, found);
  return found;
}

async function collect(entry: FileSystemEntry, found: File[]): Promise<void> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    const path = entry.fullPath.replace(/^\//, "");
    Object.defineProperty(file, "webkitRelativePath", { value: path.includes("/") ? path : "" });
    found.push(file);
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // A reader gives its entries in parts, the last of which is empty.
  while (true) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (part.length === 0) return;
    for (const inside of part) await collect(inside, found);
  }
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
  const list = document.querySelector<HTMLMetaElement>('meta[name="simtape-recordings"]')?.content ?? "";
  return place.kind === "url" && list !== "" && place.url.startsWith(new URL("files/", document.baseURI).href);
}

/** Whether a recording comes from the server of this page, of either kind: then it may have a seek index beside it. */
export function isOffered(place: Locator): boolean {
  if (place.kind !== "url") return false;
  if (isViewed(place)) return true;
  const root = serverRoot();
  if (root === null) return false;
  const { origin, pathname } = new URL(place.url);
  return origin === location.origin && pathname.startsWith(`${root}api/recordings/`) && pathname.includes("/files/");
}

/** The address that the keys of a world are relative to, which is beside what this server offers; null: there is none. */
export function worldsBeside(place: Locator): string | null {
  if (place.kind !== "url" || !isOffered(place)) return null;
  const root = serverRoot();
  const url = new URL(place.url);
  url.search = url.hash = "";
  url.pathname =
    root === null
      ? url.pathname.replace(/\/files\/(\d+)\/.*/, "/beside/$1/")
      : url.pathname.replace(/\/files\/[^/]*$/, "/world/");
  return url.href;
}
