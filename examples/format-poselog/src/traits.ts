import type { Kit, Traits } from "simtape/kit";
import { THINGS } from "./state.ts";

/** An event for each thing that ends. */
export function traitsOf({ ByteCursor, eventOf }: Kit): Traits {
  return {
    events: async ({ channels }) => {
      const gone = channels.find(({ name }) => name === "gone")!;
      return {
        channels: new Map([[gone.id, ["removal"]]]),
        begin: async () => undefined,
        read: (batch, row, into) => {
          if (batch.channel[row] !== gone.id) return;
          const thing = new ByteCursor(batch.payload(row)).u32le();
          const who = [{ set: THINGS, id: thing, label: "" }];
          into.push(
            eventOf(gone, batch, row, { kind: "removal", text: `thing ${thing} is gone`, who, value: { thing } }),
          );
        },
      };
    },
  };
}
