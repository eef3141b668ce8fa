import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { openDatagrams } from "../../io/node/datagrams.ts";
import { toFile } from "../../io/node/file-sink.ts";
import type { Deck } from "../../live/deck.ts";
import type { Feed } from "../../live/feed.ts";
import { flightgearFeed } from "../../live/flightgear/feed.ts";
import { flightgearOutlet } from "../../live/flightgear/outlet.ts";
import type { Outlet } from "../../live/outlet.ts";
import type { Origin } from "../../model/axes/geodesy.ts";
import { UsageError } from "../run/failure.ts";
import { whenOver } from "../run/ending.ts";

/** What the command line says of a FlightGear that is recorded. */
export interface FgfsFeedOptions {
  readonly rate?: number | undefined;
  /** Port at which packets of other pilots arrive. */
  readonly pilots?: number | undefined;
}

const RATE = 20;

/** FlightGear on this machine, which was started with `--httpd=PORT`. Throws `UsageError` for another address. */
export function fgfsFeed(address: string, { rate = RATE, pilots }: FgfsFeedOptions): Feed {
  return flightgearFeed({
    address: httpOf(address),
    open: () => openDatagrams(),
    here: "127.0.0.1",
    install: installed,
    rate,
    pilots: pilots === undefined ? null : () => openDatagrams("0.0.0.0", pilots),
  });
}

/** What the command line says of a FlightGear that is driven. */
export interface FgfsOutletOptions {
  readonly address: string | undefined;
  /** `HOST:PORT` of `--multiplay=in`, which needs `--multiplay=out` beside it. */
  readonly pilots: string | undefined;
  readonly origin: Origin | undefined;
  /** The own aircraft stays as it is. */
  readonly trafficOnly: boolean;
}

export async function fgfsOutlet(deck: Deck, options: FgfsOutletOptions): Promise<Outlet> {
  const { address, pilots, origin, trafficOnly } = options;
  if (address === undefined) throw new UsageError("say where FlightGear is: --address http://localhost:5500");
  if (trafficOnly && pilots === undefined)
    throw new UsageError("--traffic-only needs --pilots HOST:PORT, the port of fgfs --multiplay=in");
  const folder = trafficOnly ? null : await temporary("tapes");
  return flightgearOutlet(deck, {
    address: httpOf(address),
    tapes: folder === null ? null : { folder, to: (name) => toFile(join(folder, name)) },
    traffic: pilots === undefined ? null : { socket: await openDatagrams("0.0.0.0"), target: targetOf(pilots) },
    origin,
  });
}

/**
 * Writes a protocol file into a temporary folder. The simulator looks below its data folder alone, but takes a name that
 * climbs out of it.
 */
async function installed(text: string, dataFolder: string): Promise<string> {
  const folder = await temporary("protocol");
  await writeFile(join(folder, "simtape.xml"), text);
  return relative(join(dataFolder, "Protocol"), join(folder, "simtape"));
}

/** A folder of this process, which goes with it. */
async function temporary(what: string): Promise<string> {
  const above = join(tmpdir(), "simtape-flightgear");
  await mkdir(above, { recursive: true });
  const folder = await mkdtemp(join(above, `${what}-`));
  whenOver(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function httpOf(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(`say the address as http://HOST:PORT, as of fgfs --httpd=PORT, not ${address}`);
  return url.origin;
}

function targetOf(text: string): { readonly host: string; readonly port: number } {
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  if (host === undefined || Number(port) > 65_535) throw new UsageError(`--pilots takes HOST:PORT, not ${text}`);
  return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}
