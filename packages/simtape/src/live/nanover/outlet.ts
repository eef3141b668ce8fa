import type { Link, LinkListener } from "../../io/sink/link.ts";
import type { Deck, Loaded } from "../deck.ts";
import type { Outlet } from "../outlet.ts";
import { commandsOf } from "./commands.ts";
import { entryOf } from "./said.ts";
import { show, type Show } from "./show.ts";
import { NanoverStage } from "./stage.ts";
import { Users } from "./users.ts";

/** Listens for clients; `listenForLinks` of `simtape/node` does. */
export type Listen = (arrived: (link: Link) => void) => Promise<LinkListener>;

/** How recordings play into NanoVer. Everything is optional. */
export interface NanoverOutletOptions {
  /** nm for each metre of recordings of other formats; absent: so that all of it is 10 nm long, about. */
  readonly scale?: number | undefined;
}

/** What NanoVer's runner takes out of the shared state when it loads a simulation (NanoVer semantics §2). */
const OF_USERS = ["avatar.", "play-area.", "playarea.", "selection.", "scene", "interaction."] as const;

/** Which simulation it shows, in the shared state. */
const NAME = "simulation.name";
const INDEX = "simulation.index";

/**
 * A server as NanoVer's own, which plays what the deck has loaded: recordings of NanoVer message by message, things of
 * other formats as particles. Clients load, play and seek. Rejects with `SourceError` if it cannot listen.
 */
export async function nanoverOutlet(deck: Deck, listen: Listen, options: NanoverOutletOptions = {}): Promise<Outlet> {
  const stage = new NanoverStage();
  const users = new Users(stage, commandsOf(deck, stage));
  let listener: LinkListener;
  try {
    listener = await listen((link) => users.arrived(link));
  } catch (error) {
    stage.close();
    throw error;
  }
  let showing: Show | null = null;
  const unload = deck.onLoad(
    (loaded) => {
      void showing?.stop();
      if (showing !== null) clear(stage);
      introduce(stage, loaded);
      showing = show(stage, loaded, options.scale ?? null);
    },
    () => {
      void showing?.stop();
      showing = null;
      clear(stage);
      stage.reset("");
      stage.update([], [NAME, INDEX]);
    },
  );
  let closing: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    unload();
    await showing?.stop();
    stage.close();
    await listener.close();
  };
  return {
    name: `a NanoVer server at ${listener.address}`,
    status: () => ({
      clients: stage.clients,
      sentMessages: stage.sentMessages,
      sentBytes: stage.sentBytes,
      skippedFrames: stage.skippedFrames,
      waitingBytes: stage.waiting,
      failure: null,
    }),
    close: () => (closing ??= close()),
  };
}

function clear(stage: NanoverStage): void {
  const removals = [...stage.shared.keys()].filter((key) => OF_USERS.some((prefix) => key.startsWith(prefix)));
  if (removals.length > 0) stage.update([], removals);
}

function introduce(stage: NanoverStage, { index, name }: Loaded): void {
  stage.update([entryOf(NAME, name), entryOf(INDEX, index)], []);
}
