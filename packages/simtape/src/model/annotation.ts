import { type SourceBundle, SourceError } from "../io/source/source.ts";
import type { RecordingInfo } from "./recording-info.ts";
import type { Time } from "./values/time.ts";
import type { TextRoom } from "./values/text-room.ts";

/** A note at a moment of a recording. It is kept with the recording, and is an event of its kind. */
export interface Annotation {
  /** Nanoseconds since the start. */
  readonly at: Time;
  readonly text: string;
  /** `"note"`, unless its author names another one. */
  readonly kind: string;
}

/** Of the file beside a recording that says where it comes from and keeps its annotations: `town.log.provenance.json`. */
export const PROVENANCE_ENDING = ".provenance.json";

/** A larger file beside a recording is not read. Bytes. */
const MOST = 16 << 20;

/**
 * The annotations of a recording, ascending by time: those of the file beside it, or else those inside. A file that cannot
 * be read, or that is no provenance, has none.
 */
export async function annotationsOf(
  { metadata }: Pick<RecordingInfo, "metadata">,
  room: TextRoom | undefined,
  bundle: SourceBundle | null,
): Promise<readonly Annotation[]> {
  const inside = room?.read(metadata);
  const text = (await textBeside(bundle)) ?? (inside instanceof Uint8Array ? new TextDecoder().decode(inside) : inside);
  return typeof text === "string" ? annotationsIn(text) : [];
}

async function textBeside(bundle: SourceBundle | null): Promise<string | null> {
  if (bundle?.name == null) return null;
  try {
    const source = await bundle.open(bundle.name + PROVENANCE_ENDING);
    if (source === null) return null;
    try {
      const size = await source.size();
      if (size === null || size > MOST) return null;
      return new TextDecoder().decode(await source.read(0, size));
    } finally {
      await source.close();
    }
  } catch (error) {
    // A store may refuse to say whether there is one: a recording is not worse for that.
    if (error instanceof SourceError) return null;
    throw error;
  }
}

/** Those in the text of a provenance; what is no annotation is passed over. */
function annotationsIn(text: string): readonly Annotation[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  const { simtape, annotations } = (value ?? {}) as { readonly simtape?: unknown; readonly annotations?: unknown };
  if (simtape !== "provenance" || !Array.isArray(annotations)) return [];
  return annotations.filter(isAnnotation).toSorted((a, b) => a.at - b.at);
}

function isAnnotation(value: unknown): value is Annotation {
  const { at, text, kind } = (value ?? {}) as { readonly [member in keyof Annotation]?: unknown };
  return typeof at === "number" && Number.isFinite(at) && typeof text === "string" && typeof kind === "string";
}
