/** The text of a message of the game, without colours: read from JSON or NBT, with all of its parts. */
export function plainText(message: unknown): string {
  if (typeof message === "string" && /^[{["]/.test(message)) {
    try {
      return flat(JSON.parse(message));
    } catch {
      return message;
    }
  }
  return flat(message);
}

function flat(part: unknown): string {
  if (typeof part === "string") return part;
  if (Array.isArray(part)) return part.map(flat).join("");
  if (typeof part !== "object" || part === null) return "";
  // NBT has a type beside each value.
  const { type, value } = part as { type?: unknown; value?: unknown };
  if (type !== undefined && value !== undefined) return flat(value);
  const { text, translate, with: given, extra } = part as Readonly<Record<string, unknown>>;
  const words = given === undefined ? [] : listOf(given).map(flat);
  const own = text === undefined ? [flat(translate), ...words].filter((word) => word !== "").join(" ") : flat(text);
  return own + (extra === undefined ? "" : listOf(extra).map(flat).join(""));
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const inner = (value as { value?: unknown } | null)?.value;
  return inner === undefined ? [] : listOf(inner);
}
