import { ByteCursor } from "../../bytes/cursor.ts";
import { LayoutError } from "../../bytes/error.ts";
import type { LinkMessage } from "../../io/sink/link.ts";
import { CLIENT_OP, type Parameter, type PlaybackControl, readPlaybackControl } from "./protocol.ts";

/** Names in one request: more is a mistake, or an attack. */
const MOST = 0xffff;
/** Characters of a text that is answered. */
const LONGEST = 4096;

/** What a client asks. */
export type Request =
  | { readonly op: "subscribe"; readonly subscriptions: readonly { readonly id: number; readonly channel: number }[] }
  | { readonly op: "unsubscribe"; readonly ids: readonly number[] }
  | { readonly op: "getParameters"; readonly names: readonly string[]; readonly id: string | null }
  | { readonly op: "setParameters"; readonly parameters: readonly Parameter[]; readonly id: string | null }
  | { readonly op: "subscribeParameterUpdates" | "unsubscribeParameterUpdates"; readonly names: readonly string[] }
  | { readonly op: "fetchAsset"; readonly uri: string; readonly request: number }
  | { readonly op: "playback"; readonly control: PlaybackControl };

/** What a request asks; a text: why it asks nothing that can be answered. */
export function requestOf(message: LinkMessage): Request | string {
  return typeof message === "string" ? ofText(message) : ofBytes(message);
}

function ofBytes(message: Uint8Array): Request | string {
  const op = message[0];
  if (op === undefined) return "an empty binary message";
  if (op === CLIENT_OP.message) return "clients cannot publish here";
  if (op === CLIENT_OP.serviceRequest) return "there are no services here";
  if (op !== CLIENT_OP.playbackControl) return `no binary message has the opcode ${op}`;
  try {
    const control = readPlaybackControl(new ByteCursor(message, 1));
    if (control.request.length > LONGEST) return `a request id of ${control.request.length} characters`;
    return { op: "playback", control };
  } catch (error) {
    if (error instanceof LayoutError) return `no playback control request: ${error.message}`;
    throw error;
  }
}

function ofText(message: string): Request | string {
  let json: unknown;
  try {
    json = JSON.parse(message);
  } catch {
    return "a text that is no JSON";
  }
  if (!isMembers(json)) return "JSON that is no object";
  const { op } = json;
  switch (op) {
    case "subscribe":
      return subscribed(json["subscriptions"]);
    case "unsubscribe":
      return listOf(json["subscriptionIds"], isId, (ids) => ({ op, ids }), "subscriptionIds is a list of numbers");
    case "getParameters":
      return listOf(
        json["parameterNames"],
        isText,
        (names) => ({ op, names, id: idOf(json["id"]) }),
        "parameterNames is a list of texts",
      );
    case "setParameters":
      return listOf(
        json["parameters"],
        isParameter,
        (parameters) => ({ op, parameters, id: idOf(json["id"]) }),
        "parameters is a list of objects with a name",
      );
    case "subscribeParameterUpdates":
    case "unsubscribeParameterUpdates":
      return listOf(json["parameterNames"], isText, (names) => ({ op, names }), "parameterNames is a list of texts");
    case "fetchAsset": {
      const { uri, requestId } = json;
      if (!isText(uri) || !isId(requestId)) return "fetchAsset has a text uri and a number requestId of 32 bits";
      return { op, uri, request: requestId };
    }
    case "advertise":
    case "unadvertise":
      return "clients cannot publish here";
    case "subscribeConnectionGraph":
    case "unsubscribeConnectionGraph":
      return "there is no connection graph here";
    default:
      return `no message has the op ${JSON.stringify(op)?.slice(0, 100) ?? "undefined"}`;
  }
}

function subscribed(value: unknown): Request | string {
  const wrong = "subscriptions is a list of objects with the numbers id and channelId";
  if (!Array.isArray(value) || value.length > MOST) return wrong;
  const subscriptions: { id: number; channel: number }[] = [];
  for (const one of value as readonly unknown[]) {
    if (!isMembers(one)) return wrong;
    const { id, channelId } = one;
    if (!isId(id) || !isId(channelId)) return wrong;
    subscriptions.push({ id, channel: channelId });
  }
  return { op: "subscribe", subscriptions };
}

function listOf<T>(
  value: unknown,
  is: (one: unknown) => one is T,
  made: (list: readonly T[]) => Request,
  wrong: string,
): Request | string {
  return Array.isArray(value) && value.length <= MOST && value.every(is) ? made(value as readonly T[]) : wrong;
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isId(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= LONGEST;
}

function isParameter(value: unknown): value is Parameter {
  return isMembers(value) && isText(value["name"]);
}

function idOf(value: unknown): string | null {
  return isText(value) ? value : null;
}
