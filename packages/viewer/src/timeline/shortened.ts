import { GUTTER } from "./measures.ts";

/** Names as they are drawn: measuring takes longer than drawing. */
const KEPT = new Map<string, string>();

/** The name of a lane as it fits before it, in the font that is set; what does not fit is an ellipsis. */
export function shortened(context: CanvasRenderingContext2D, name: string): string {
  let shown = KEPT.get(name);
  if (shown === undefined) {
    const letters = Array.from(name);
    for (shown = name; letters.length > 1 && context.measureText(shown).width > GUTTER - 12; ) {
      letters.pop();
      shown = `${letters.join("")}…`;
    }
    KEPT.set(name, shown);
  }
  return shown;
}
