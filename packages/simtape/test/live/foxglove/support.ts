import { allFormats } from "../../../src/cli/input/formats.ts";
import { open, type PlayOptions, type Recording, type SourceBundle } from "../../../src/index.ts";
import { listenForLinks } from "../../../src/io/node/index.ts";
import { Deck } from "../../../src/live/deck.ts";
import { type FoxgloveOutletOptions, foxgloveOutlet } from "../../../src/live/foxglove/outlet.ts";
import { PROTOCOLS } from "../../../src/live/foxglove/protocol.ts";
import type { Outlet } from "../../../src/live/outlet.ts";

const closing: (() => Promise<unknown>)[] = [];

/** Ends what a test has begun, the newest first. */
export async function endAll(): Promise<void> {
  for (const close of closing.splice(0).reverse()) await close();
}

export function atEnd(close: () => Promise<unknown>): void {
  closing.push(close);
}

export interface Served {
  readonly deck: Deck;
  readonly outlet: Outlet;
  readonly address: string;
}

/** A server that plays these recordings. */
export async function served(
  bundles: readonly (() => SourceBundle)[],
  options: FoxgloveOutletOptions = {},
  playing: PlayOptions = {},
  port = 0,
): Promise<Served> {
  const entries = bundles.map((bundle, i) => ({
    name: bundle().name ?? `recording ${i}`,
    open: (): Promise<Recording> => open(bundle(), { formats: allFormats() }),
  }));
  const deck = new Deck(entries, playing);
  atEnd(() => deck.close());
  await deck.load(0);
  const outlet = await foxgloveOutlet(
    deck,
    (arrived) => listenForLinks({ port, protocols: PROTOCOLS }, arrived),
    options,
  );
  atEnd(() => outlet.close());
  return { deck, outlet, address: /ws:\S+/.exec(outlet.name)![0] };
}
