/** A text in the game, in one colour. */
export interface Text {
  readonly text: string;
  /** In the form `"gray"` or `"gold"`. */
  readonly color?: string | undefined;
}

/** JSON, for versions before 1.20.3. */
export function jsonText({ text, color }: Text): string {
  return JSON.stringify(color === undefined ? { text } : { text, color });
}

/** NBT, for 1.20.3 and later. */
export function nbtText({ text, color }: Text): object {
  const value: Record<string, object> = { text: { type: "string", value: text } };
  if (color !== undefined) value["color"] = { type: "string", value: color };
  return { type: "compound", name: "", value };
}
