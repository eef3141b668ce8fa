import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type PropertyNode, propertyNode } from "../../../src/codec/properties.ts";
import { writeSignalList } from "../../../src/formats/flightgear/layout/signals.ts";

/** What a stand was asked to do. */
export interface Command {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/**
 * The web server of a FlightGear (`--httpd`): a property tree, the commands that assign properties, add and remove
 * channels and load tapes. The real program is recorded and driven by `npm run simulator:live`.
 */
export class Stand {
  readonly #server: Server;
  readonly commands: Command[] = [];
  readonly #config: PropertyNode;
  /** Properties by their path. */
  readonly values: Map<string, unknown>;
  /** Where the simulator sends packets to; 0: nowhere. */
  sendsTo = 0;

  private constructor(server: Server, version: string) {
    this.#server = server;
    this.#config = propertyNode("config", {
      children: writeSignalList("test", [
        { property: "/position/longitude-deg", type: "double", interpolation: "angular-deg" },
        { property: "/position/latitude-deg", type: "double", interpolation: "angular-deg" },
        { property: "/position/altitude-ft", type: "double", interpolation: "linear" },
        { property: "/gear/gear/wow", type: "bool", interpolation: "discrete" },
      ]),
    });
    this.values = new Map<string, unknown>([
      ["/sim/flight-recorder/replay-config", 0],
      ["/sim/fg-root", "/usr/share/games/flightgear"],
      ["/sim/aircraft", "ufo"],
      ["/sim/version/flightgear", version],
      ["/sim/replay/replay-state", 0],
    ]);
  }

  /** `port` 0: any free one. */
  static async start(port = 0, version = "2024.1.5"): Promise<Stand> {
    const server = createServer();
    const stand = new Stand(server, version);
    server.on("request", (request, response) => {
      const { pathname } = new URL(request.url!, "http://x");
      if (request.method === "POST") {
        const pieces: Buffer[] = [];
        request.on("data", (piece: Buffer) => pieces.push(piece));
        request.on("end", () => {
          stand.#ran(request.url!, Buffer.concat(pieces).toString());
          response.end("ok.");
        });
        return;
      }
      const path = pathname.replace(/^\/json/, "");
      if (path.startsWith("/sim/flight-recorder/config")) response.end(JSON.stringify(jsonOf(stand.#config)));
      else if (stand.values.has(path)) response.end(JSON.stringify({ value: stand.values.get(path) }));
      else {
        response.statusCode = 404;
        response.end();
      }
    });
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    return stand;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get address(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #ran(url: string, body: string): void {
    const name = new URL(url, "http://x").searchParams.get("value")!;
    const { children } = JSON.parse(body) as { children: { name: string; value: unknown }[] };
    const given = Object.fromEntries(children.map((child) => [child.name, child.value]));
    this.commands.push({ name, arguments: given });
    if (name === "add-io-channel") this.sendsTo = Number(String(given["config"]).split(",")[5]);
    if (name === "remove-io-channel") this.sendsTo = 0;
    if (name === "property-assign") this.values.set(String(given["property"]), given["value"]);
    // the simulator ends what it plays in its next frame, whatever was loaded until then
    if (given["property"] === "/sim/replay/disable") setTimeout(() => this.#endReplay(), FRAME);
    if (name === "load-tape") this.values.set("/sim/replay/replay-state", 1);
  }

  #endReplay(): void {
    this.values.set("/sim/replay/disable", false);
    this.values.set("/sim/replay/replay-state", 0);
  }
}

/** Milliseconds between two frames of a simulator on a busy machine. */
export const FRAME = 150;

function jsonOf({ name, index, type, value, children }: PropertyNode): unknown {
  return { name, index, type, ...(value === null ? {} : { value }), children: children.map(jsonOf) };
}

/** A packet of the stand's signals, as the generic protocol has it. */
export function packet(elapsed: number, isPaused: boolean, replay: number, longitude: number): Uint8Array {
  const bytes = new Uint8Array(13 + 24 + 1);
  const view = new DataView(bytes.buffer);
  view.setFloat64(0, elapsed);
  view.setUint8(8, isPaused ? 1 : 0);
  view.setInt32(9, replay);
  view.setFloat64(13, longitude);
  view.setFloat64(21, 47.5);
  view.setFloat64(29, 1400);
  view.setUint8(37, 1);
  return bytes;
}

/** A position packet of protocol 2 as the network has it (FlightGear spec §5.1, §5.2), made by hand. */
export function wirePacket(): Uint8Array {
  const bytes = new Uint8Array(232);
  const view = new DataView(bytes.buffer);
  for (const [i, word] of [0x46474653, 0x00010001, 7, bytes.length, 100, 0].entries()) view.setUint32(4 * i, word);
  bytes.set(new TextEncoder().encode("PILOT"), 24);
  bytes.set(new TextEncoder().encode("Aircraft/ufo/Models/ufo.xml"), 32);
  view.setFloat64(128, 5);
  for (const [i, metres] of [4_270_000, 650_000, 4_680_000].entries()) view.setFloat64(144 + 8 * i, metres);
  view.setUint32(228, 0x1face002);
  return bytes;
}
