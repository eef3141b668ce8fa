import { LayoutError } from "../../bytes/error.ts";
import { SourceError } from "../../io/source/source.ts";
import type { Format } from "../../model/format.ts";
import type { NanoverChannels } from "./meaning/channels.ts";
import { isDamagedHeader, siblingName, sniffHeaderless, startsWithMagic } from "./layout/record.ts";
import { LOCAL_BYTES } from "../../bytes/zip.ts";
import { INDEX_NAME, isDamagedZip, MESSAGES_NAME } from "./layout/zip.ts";

/** NanoVer and Narupa recordings: `.traj` and `.state` of both versions, alone or as a pair, and `.nanover.zip`. */
export const nanover: Format<NanoverChannels, "nanover"> = {
  id: "nanover",
  name: "NanoVer",
  extensions: ["nanover.zip", "traj", "state"],
  files: {
    partners: (main) => [...new Set([siblingName(main, "frame"), siblingName(main, "state")])],
    endingFor: ({ version, metadata }) =>
      version === "zip" ? ".nanover.zip" : metadata["container"] === "state" ? ".state" : ".traj",
  },
  sniff(head, hint) {
    if (startsWithMagic(head)) return "certain";
    if (isZip(head) || (!startsWithMagic(head) && isDamagedZip(head))) return hasMember(head) ? "certain" : "possible";
    const answer = sniffHeaderless(head, hint.size);
    if (answer === null && (isDamagedHeader(head) || isDamagedZip(head))) return "possible";
    return answer;
  },
  async open(from, report, options) {
    const source = await from.open();
    if (source === null) throw new SourceError("failed", "nothing there");
    const head = await source.read(0, 4096, options.signal);
    if (isZip(head) || (!startsWithMagic(head) && isDamagedZip(head)))
      return (await import("./read/zip.ts")).openZip(source, report, options);
    if (head.length === 0) throw new LayoutError("truncated", "the file is empty", 0);
    return (await import("./read/records.ts")).openRecords(source, from, report, options);
  },
  traits: async () => (await import("./traits.ts")).traits,
  writing: async () => (await import("./writing.ts")).writing,
};

function isZip(head: Uint8Array): boolean {
  return head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4;
}

/** Whether one of the local headers in `head` is that of a member which only NanoVer's zips have (spec §4). */
function hasMember(head: Uint8Array): boolean {
  const text = new TextDecoder("latin1");
  for (let at = 0; at + LOCAL_BYTES <= head.length; ) {
    if (!isZip(head.subarray(at))) return false;
    const view = new DataView(head.buffer, head.byteOffset + at, LOCAL_BYTES);
    const nameLength = view.getUint16(26, true);
    const name = text.decode(head.subarray(at + LOCAL_BYTES, at + LOCAL_BYTES + nameLength));
    if (name === MESSAGES_NAME || name === INDEX_NAME) return true;
    at += LOCAL_BYTES + nameLength + view.getUint16(28, true) + view.getUint32(18, true);
  }
  return false;
}

export type * from "./meaning/channels.ts";
