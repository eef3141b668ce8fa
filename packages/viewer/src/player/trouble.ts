import type { Failure } from "../session.ts";

/** Why a player shows nothing, and what to do about that. */
export interface Trouble {
  readonly title: string;
  readonly text: string;
  /** What helps: sentences, and lines to copy. */
  readonly advice: readonly string[];
  readonly lines: readonly string[];
}

/** Headers with which a server allows pages of other origins to read files by ranges. */
function headersFor(origin: string): readonly string[] {
  return [
    `Access-Control-Allow-Origin: ${origin}`,
    "Access-Control-Allow-Headers: Range",
    "Access-Control-Expose-Headers: Accept-Ranges, Content-Length, Content-Range, ETag, Last-Modified",
  ];
}

/** Of a recording that a page of this origin could not open. */
export function troubleOf({ place, message }: Failure, { origin, protocol }: Location): Trouble {
  const title = `${place.name} cannot be shown`;
  if (place.kind === "files" || !message.includes("cannot reach the server"))
    return { title, text: message, advice: [], lines: [] };
  const url = new URL(place.url);
  if (protocol === "https:" && url.protocol === "http:")
    return {
      title,
      text: `The page is served by https, and browsers let it read nothing from http://${url.host}.`,
      advice: ["Serve the recording by https, too."],
      lines: [],
    };
  if (url.origin === origin) return { title, text: message, advice: [], lines: [] };
  return {
    title,
    text: `${url.host} does not answer, or does not allow pages of ${origin} to read its files (CORS).`,
    advice: ["Put the recording on the server of this page, or let its own server send with it:"],
    lines: headersFor(origin),
  };
}
