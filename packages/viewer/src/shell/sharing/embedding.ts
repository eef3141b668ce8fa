import { addressOf } from "../../address.ts";
import { hashOf, keptIn } from "../../kept.ts";
import type { Locator } from "../../protocol.ts";
import { saidIn } from "../../said.ts";
import type { Session } from "../../session.ts";

/** Where snippets lead when this page can be in no frame: for the user to replace. */
export const ELSEWHERE = "https://example.org/simtape/";
/** What panels keep that a player shows, too. */
const SHOWN = ["scene", "time", "units"];

/** What a player of another page begins with. */
export interface Beginning {
  /** Of the page, with what it names: the recording, or a link. */
  readonly page: string;
  /** Of the recording itself; null: only the page knows it. */
  readonly source: string | null;
  /** Of the module with the element. */
  readonly module: string;
  readonly name: string;
  /** Seconds; null: from the start. */
  readonly at: number | null;
  readonly isPlaying: boolean;
}

/** Text to be copied into another page. */
export interface Snippet {
  readonly title: string;
  readonly text: string;
}

export function snippetsOf({ page, source, module, name, at, isPlaying }: Beginning): readonly Snippet[] {
  const address = embedded(page, at, isPlaying);
  const attributes = [
    `src="${escaped(source ?? "")}"`,
    ...(at === null ? [] : [`at="${at}"`]),
    ...(isPlaying ? ["autoplay"] : []),
  ];
  const frame = `<iframe src="${escaped(address)}" title="${escaped(name)}" width="640" height="400" style="border: 0" allow="fullscreen"></iframe>`;
  const element = `<script type="module" src="${escaped(module)}"></script>\n<simtape-player ${attributes.join(" ")}></simtape-player>`;
  const cell = `from IPython.display import IFrame\nIFrame(${JSON.stringify(address)}, width="100%", height=420)`;
  return [
    { title: "HTML: a frame", text: frame },
    ...(source === null ? [] : [{ title: "HTML: the element, without a frame", text: element }]),
    { title: "Jupyter", text: cell },
  ];
}

/** The address of what a session shows, and of the recording; the time is left out. */
export function beginningOf(session: Session): Pick<Beginning, "page" | "source" | "module" | "name"> {
  const [main] = session.state.value.decks;
  const { place } = main!;
  const page = new URL(addressOf(session));
  const { t: _, shared = {}, ...kept } = keptIn(page.hash);
  const shown = Object.fromEntries(Object.entries(shared).filter(([key]) => SHOWN.includes(key)));
  const all = { ...kept, ...(Object.keys(shown).length === 0 ? {} : { shared: shown }) };
  page.hash = Object.keys(all).length === 0 ? "" : hashOf(all);
  const module = new URL("player.js", document.baseURI).href;
  if (!isAlone(session)) {
    const source = place.kind === "url" && place.page === undefined ? place.url : null;
    return { page: page.href, source, module, name: place.name };
  }
  const path = pathOf(place);
  const source = new URL(path, ELSEWHERE).href;
  const there = new URL(ELSEWHERE);
  there.search = `?url=${path}`;
  there.hash = page.hash;
  return { page: there.href, source, module: `${ELSEWHERE}player.js`, name: place.name };
}

/** Of the main file: a recording that is a folder has it inside. */
function pathOf(place: Locator): string {
  const asked = place.kind === "files" ? place.main : new URL(place.url).pathname.split("/").at(-1);
  const name = encodeURIComponent(place.name);
  const file = encodeURIComponent(decodeURIComponent(asked ?? ""));
  return file === "" || file === name ? name : `${name}/${file}`;
}

/** Whether what is shown is for this machine alone: a file of it, or what `simtape view` serves. */
export function isAlone(session: Session): boolean {
  const [main] = session.state.value.decks;
  return main?.place.kind === "files" || saidIn("recordings") !== "";
}

/** The address of a page as a frame has it. */
function embedded(page: string, at: number | null, isPlaying: boolean): string {
  const url = new URL(page);
  const rest = url.search.replace(/^\?/, "");
  const said = ["embed", ...(rest === "" ? [] : [rest]), ...(at === null ? [] : [`at=${at}`])];
  url.search = `?${[...said, ...(isPlaying ? ["autoplay"] : [])].join("&")}`;
  return url.href;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
