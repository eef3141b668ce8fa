import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { hostname } from "node:os";
import { UsageError } from "../run/failure.ts";

/** From where the page can be asked for. */
export interface Reach {
  /** Name or address of this machine at which the server listens; default 127.0.0.1. */
  readonly host?: string | undefined;
  /** What a browser has before the path where it comes through a tunnel or a proxy: `http://localhost:9000`. */
  readonly publicOrigin?: string | undefined;
}

const LOCAL = "127.0.0.1";
const LOCAL_NAMES = [LOCAL, "localhost"];
/** All addresses of this machine. */
const ANY = ["0.0.0.0", "::"];

/** `scheme://host:port` of what a user typed. Throws `UsageError`. */
export function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
  if (!isWeb || url.username !== "" || url.pathname !== "/" || url.search + url.hash !== "") {
    throw new UsageError(`an origin is http:// or https://, a host and a port, as http://localhost:9000, not ${text}`);
  }
  return url.origin;
}

/** Whether other machines may reach a server that listens there. */
export async function isReachedFromElsewhere(host: string): Promise<boolean> {
  const loopback = new BlockList();
  loopback.addSubnet("127.0.0.0", 8);
  loopback.addAddress("::1", "ipv6");
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.length === 0 || found.some(({ address, family }) => !loopback.check(address, `ipv${family as 4 | 6}`));
}

/** Which names this server answers to: another one would be a page elsewhere that has the browser ask in its stead. */
export class Names {
  readonly #host: string;
  readonly #port: number;
  readonly #publicOrigin: string | undefined;

  constructor(port: number, { host = LOCAL, publicOrigin }: Reach) {
    this.#host = host;
    this.#port = port;
    this.#publicOrigin = publicOrigin;
  }

  /** Of the address that is printed. */
  get origin(): string {
    return this.#publicOrigin ?? this.#originAt(ANY.includes(this.#host) ? hostname() : this.#host);
  }

  /** Whether a request with this `Host` header is answered. */
  include(header: string): boolean {
    const asked = urlAt(header);
    if (asked === null) return false;
    const { host, hostname: name, origin } = asked;
    if (this.#publicOrigin !== undefined && host === hostIn(this.#publicOrigin)) return true;
    // An address is no name that points elsewhere tomorrow.
    const isAddress = isIP(name.replace(/^\[|\]$/g, "")) !== 0;
    const isOwn = ANY.includes(this.#host) && (isAddress || name === hostname().toLowerCase());
    const isLocal = LOCAL_NAMES.includes(this.#host) || ANY.includes(this.#host);
    const names = [this.#host, ...(isOwn ? [name] : []), ...(isLocal ? LOCAL_NAMES : [])];
    return names.some((own) => origin === this.#originAt(own));
  }

  /** The answer to a browser that has asked for another name. */
  refusal(header: string): string {
    const origin = urlAt(header)?.origin ?? "http://localhost:9000";
    return (
      `This server of simtape answers to ${this.origin}, not to ${origin}.\n` +
      "If you come through a tunnel (ssh -L) or a proxy, start it with the origin that your browser has:\n\n" +
      `    simtape view RECORDING --public-origin ${origin}\n`
    );
  }

  #originAt(name: string): string {
    return new URL(`http://${isIP(name) === 6 ? `[${name}]` : name}:${this.#port}`).origin;
  }
}

/** Null: no name, nor a name and a port. */
function urlAt(header: string): URL | null {
  const text = `http://${header}`;
  return /^[\w.:[\]-]+$/.test(header) && URL.canParse(text) ? new URL(text) : null;
}

/** With its port, if that is not the usual one; a proxy passes it on. */
function hostIn(origin: string): string {
  return new URL(origin).host;
}
