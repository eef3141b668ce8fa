import type { Format, Kit } from "simtape/kit";
import { MAGIC, type Position } from "./layout.ts";
import { openFile } from "./reader.ts";
import { THINGS } from "./state.ts";

/** What messages decode to, by channel. */
export interface Channels {
  readonly position: Position;
}

/** The format module: simtape calls this function and hands it the kit. */
export default function format(kit: Kit): Format<Channels, "newformat"> {
  return {
    id: "newformat",
    name: "newformat",
    extensions: ["newformat"],
    sniff: (head) => (MAGIC === String.fromCharCode(...head.subarray(0, MAGIC.length)) ? "certain" : null),
    async open(from, report, options) {
      const source = await from.open();
      if (source === null) throw new kit.SourceError("failed", "nothing there");
      return openFile(kit, source, report, options);
    },
    // How the viewer shows it: as a vehicle, a vessel, an aircraft, a person or points.
    traits: async () => ({ showing: { things: [THINGS], presenters: { [THINGS]: "vehicle" } } }),
  };
}
