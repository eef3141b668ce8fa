import { ByteCursor } from "../../../bytes/cursor.ts";
import { type Channel, type Schema, untyped } from "../../../model/values/value.ts";
import type { NanoverChannels } from "./channels.ts";
import { CHANNEL_NAMES, emptyMap, FRAME, type Frame, STATE, type StateUpdate } from "../layout/layout.ts";
import { readFrame, readPart, readState, readValue } from "../layout/messagepack.ts";
import { readFrameData, readFrameResponse, readStateUpdate } from "../layout/protobuf.ts";

/** How the messages of a recording are laid out. */
export type Container = "1" | "2" | "zip";

/** Context of a reader's batches: what a writer must know of payloads from another recording. */
export interface Payloads {
  readonly container: Container;
  /** Names of the reader's channels, by id. */
  readonly names: readonly string[];
}

/** `context`, when it is that of a batch of this format. */
export function payloadsOf(context: unknown): Payloads | null {
  const isKnown = typeof context === "object" && context !== null && "container" in context && "names" in context;
  return isKnown ? (context as Payloads) : null;
}

/**
 * Decodes the payloads of the frame channel: `frame.index` and the frame's own keys in one map. Payloads whose context
 * tells another container are decoded as its: recordings that were joined have them.
 */
export function frameSchema(container: Container): Schema<Frame> {
  return {
    name: FRAME_SCHEMAS[container],
    decode: (payload, context) => decodeFrame(payload, payloadsOf(context)?.container ?? container),
  };
}

/** Decodes the payloads of the state channel: `{ updates, removals }`. As for frames, the context goes first. */
export function stateSchema(container: Container): Schema<StateUpdate> {
  return {
    name: container === "zip" ? "nanover.state" : "nanover.StateUpdate",
    decode: (payload, context) => decodeState(payload, payloadsOf(context)?.container ?? container),
  };
}

const FRAME_SCHEMAS: Readonly<Record<Container, string>> = {
  "1": "nanover.FrameData",
  "2": "nanover.GetFrameResponse",
  zip: "nanover.frame",
};

function decodeFrame(payload: Uint8Array, container: Container): Frame {
  switch (container) {
    case "1": {
      const frame = emptyMap();
      readFrameData(new ByteCursor(payload), payload.length, frame);
      return frame;
    }
    case "2":
      return readFrameResponse(new ByteCursor(payload));
    case "zip":
      return readPart(payload, "frame", readFrame) ?? emptyMap();
    default:
      return container satisfies never;
  }
}

function decodeState(payload: Uint8Array, container: Container): StateUpdate {
  if (container !== "zip") return readStateUpdate(new ByteCursor(payload));
  return readPart(payload, "state", readState) ?? { updates: emptyMap(), removals: [] };
}

/** One channel for each name: frames, state, then what else a zip's messages hold, decoded as it is. */
export function channelsOf(container: Container, names: readonly string[] = CHANNEL_NAMES): Channel[] {
  return names.map((name, id) => ({ id, name, schema: schemaOf(container, name, id), metadata: {} }));
}

function schemaOf(container: Container, name: string, id: number): Schema {
  if (id === FRAME) return untyped(frameSchema(container));
  if (id === STATE) return untyped<NanoverChannels["state"]>(stateSchema(container));
  return { name: `nanover.${name}`, decode: (payload) => readPart(payload, name, readValue) };
}
