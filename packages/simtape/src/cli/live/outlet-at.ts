import type { Deck } from "../../live/deck.ts";
import type { Outlet } from "../../live/outlet.ts";
import { SERVED_KINDS, type ServedKind } from "./kinds.ts";

/** A program whose clients a server plays to, by the word behind `--into`, and where it listens. */
export interface OutletPlace {
  readonly kind: ServedKind;
  /** Name or address of this machine. */
  readonly host: string;
  /** Null: the usual port of the program; 0: any free one. */
  readonly port: number | null;
}

const LOCAL = "127.0.0.1";

/**
 * Reads `foxglove`, `nanover=38801` or `nanover=0.0.0.0:38801`; several have commas between them. Throws `RangeError`
 * with the expected form.
 */
export function parseOutletPlaces(text: string): readonly OutletPlace[] {
  return text.split(",").map((part) => {
    const [, word, host, port] = /^\s*([a-z]+)\s*(?:=\s*(?:(.+):)?(\d{1,5})\s*)?$/.exec(part) ?? [];
    const kind = SERVED_KINDS.find((one) => one === word);
    if (kind === undefined || Number(port ?? 0) > 65_535)
      throw new RangeError(
        `KIND, KIND=PORT or KIND=HOST:PORT with a kind of ${SERVED_KINDS.join(", ")}, several with commas`,
      );
    return {
      kind,
      host: host === undefined ? LOCAL : host.replace(/^\[|\]$/g, ""),
      port: port === undefined ? null : Number(port),
    };
  });
}

/**
 * Makes the outlet, ready for clients. `origins`: pages that may connect, beside those of this machine. Rejects with
 * `SourceError` if it cannot listen.
 */
export async function outletAt(
  { kind, host, port }: OutletPlace,
  deck: Deck,
  origins: readonly string[],
): Promise<Outlet> {
  const { outletOf } = await import("./outlets.ts");
  return outletOf(kind, deck, {
    ...{ host, port: port ?? undefined, allowOrigin: origins, scale: undefined, announces: false },
    ...{ address: undefined, pilots: undefined, origin: undefined, trafficOnly: false },
  });
}
