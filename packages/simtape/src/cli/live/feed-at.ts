import type { Feed } from "../../live/feed.ts";
import { FEED_KINDS, type FeedKind } from "./kinds.ts";

/** A running program by the word behind `--from`, and its address. */
export interface FeedPlace {
  readonly kind: FeedKind;
  readonly address: string;
}

/** Reads `nanover=ws://127.0.0.1:38801`; several have commas between them. Throws `RangeError` with the expected form. */
export function parseFeedPlaces(text: string): readonly FeedPlace[] {
  return text.split(",").map((part) => {
    const at = part.indexOf("=");
    const [word, address] = [part.slice(0, at).trim(), part.slice(at + 1).trim()];
    const kind = FEED_KINDS.find((one) => one === word);
    if (kind === undefined || address === "")
      throw new RangeError(`KIND=ADDRESS with a kind of ${FEED_KINDS.join(", ")}, several with commas`);
    return { kind, address };
  });
}

/** The feed of a program, with the usual options of its kind. Throws `UsageError` for an address that is none. */
export async function feedAt({ kind, address }: FeedPlace): Promise<Feed> {
  const { feedOf } = await import("./feeds.ts");
  return feedOf(kind, address, {});
}
