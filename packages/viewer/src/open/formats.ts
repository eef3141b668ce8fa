import { saidIn } from "../said.ts";

/**
 * Addresses of the format modules that the server of this page names in it: `simtape view --format-module`, or by hand.
 * Only what lies on the page's own server can be loaded.
 */
export function formatAddresses(): string[] {
  const named = saidIn("formats")
    .split(" ")
    .filter((address) => address !== "");
  return named.map((address) => new URL(address, document.baseURI).href);
}
