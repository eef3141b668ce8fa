import "../scene/scene.css";
import "../scene/instruments/instruments.css";
import "./player.css";
import { addressOf, type Given, openAddress } from "../address.ts";
import type { OpenAt, Session } from "../session.ts";
import { serverRoot } from "../server/root.ts";
import { scheme } from "../theme.ts";
import { Face } from "./face.ts";
import type { Trouble } from "./trouble.ts";
import { loopIn, lookAs, rateIn, select } from "./wishes.ts";

/** Nothing is named. */
const NO_RECORDING: Trouble = {
  title: "No recording is named",
  text: "The address of this frame names the recording: ?embed&url=ADDRESS.",
  advice: [],
  lines: [],
};

/**
 * The page in a frame of another one, `?embed`: a player, and nothing else. What its address says behind `#` counts as in
 * every page; `at`, `rate`, `loop`, `camera`, `follow`, `theme`, `autoplay` and `drop` go before it.
 */
export async function showEmbedded(session: Session): Promise<void> {
  const { searchParams: said } = new URL(location.href);
  const theme = said.get("theme");
  if (theme === "light" || theme === "dark") scheme.set(theme);
  const face = new Face(session, { scheme: scheme.value, link: () => addressOf(session) });
  scheme.subscribe(() => {
    face.scheme = scheme.value;
  });
  const main = document.createElement("main");
  main.className = "player-page";
  main.append(face.element);
  document.getElementById("root")!.replaceChildren(main);
  if (said.has("drop")) await takeDrops(session, main);

  let given: Given | null = null;
  try {
    given = serverRoot() === null ? null : await (await import("../server/embedded.ts")).givenHere(face);
  } catch (error) {
    face.reason = { title: "This recording cannot be shown", text: messageOf(error), advice: [], lines: [] };
    return;
  }
  if (given === null && !said.has("url")) {
    if (!said.has("drop")) face.reason = NO_RECORDING;
    return;
  }
  const follow = said.get("follow");
  await openAddress(session, given, wishesIn(said), () => lookAs(session, said.get("camera"), follow));
  document.title = `${session.state.value.decks[0]?.place.name ?? ""} simtape`.trim();
  if (session.state.value.decks.length === 0) return;
  if (loopIn(said.get("loop")) === "whole") session.setLoop(session.bounds);
  if (follow !== null) select(session, follow);
  if (said.has("autoplay")) session.play();
}

/** What goes before what the address says behind `#`. */
function wishesIn(said: URLSearchParams): OpenAt {
  const [at, rate, loop] = [said.get("at"), rateIn(said.get("rate")), loopIn(said.get("loop"))];
  return {
    ...(at === null ? {} : { at }),
    ...(rate === null ? {} : { rate }),
    ...(loop === null || loop === "whole" ? {} : { loop }),
  };
}

/** Files that are dropped are opened, where the page around asks for that. */
async function takeDrops(session: Session, target: HTMLElement): Promise<void> {
  const [{ droppedFiles }, { openFiles }] = await Promise.all([
    import("../open/files.ts"),
    import("../open/open-files.ts"),
  ]);
  target.addEventListener("dragover", (event) => event.preventDefault());
  target.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer === null) return;
    void droppedFiles(event.dataTransfer).then((files) => openFiles(session, files, "main"));
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
