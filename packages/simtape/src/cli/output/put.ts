import { once } from "node:events";
import { Output } from "../run/terminal.ts";
import type { Put } from "../../export/rows.ts";

/** Text goes by `Output`, which keeps it from moving a terminal; bytes are not for one. */
export function toStandardOutput(): Put {
  const output = new Output();
  return async (piece) => {
    if (typeof piece !== "string") {
      if (!process.stdout.write(piece)) await once(process.stdout, "drain");
      return;
    }
    await output.text(piece);
    await output.flush();
  };
}
