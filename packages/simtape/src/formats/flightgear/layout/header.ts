import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import {
  type PropertyNode,
  propertyAt,
  propertyChild,
  propertyChildren,
  propertyInteger,
} from "../../../codec/properties.ts";
import type { ByteSource } from "../../../io/source/source.ts";
import type { Reporter } from "../../../model/error.ts";
import type { Value } from "../../../model/values/value.ts";
import { MAX_TREE_BYTES, readContinuousHeader, readNormalHeader, readTree, TEXT } from "./layout.ts";
import { repairSignals } from "./repair-signals.ts";
import { resyncTree } from "./resync-properties.ts";
import { readSignalList, type SignalList } from "./signals.ts";

/** What stands before the frames of a tape of any kind. */
export interface TapeHeader {
  readonly layout: "normal" | "current" | "first";
  /** Bytes before the first frame, or before the first container of frames. */
  readonly bytes: Uint8Array;
  /** The whole first tree, or all there is; and the tree that holds the list of signals. */
  readonly tree: PropertyNode;
  readonly config: PropertyNode;
  /** Something in it is damaged: a tree is no sound XML, a length is wrong, or the list of signals was put right. */
  readonly isRepaired: boolean;
  /** Children of the node `meta`, and the data items named beside it. */
  readonly meta: PropertyNode;
  /** Frames of a Continuous tape are compressed, says the header: whole numbers count, so `true` is off (spec §4.1). */
  readonly isCompressed: boolean;
  /** Items of each frame of a Continuous tape, in order (spec §4.1). */
  readonly data: readonly string[];
  readonly signals: SignalList;
  readonly recorder: string;
  /** Packets are stored in Normal frames as 2020.2 counts them, or as later versions list them (spec §3.3). */
  readonly normalPackets: "counted" | "listed" | null;
}

/** Read at once; headers are some 60 KB long. */
const FIRST_READ = 256 * 1024;
/** The longest text that is made out piece by piece when it is no sound XML. */
const RESYNC_BYTES = 1 << 20;
const LONGEST_HEADER = 2 * MAX_TREE_BYTES + 1024;

/** Reads the header from the beginning of `source`. Throws `LayoutError` when it cannot be read. */
export async function readTapeHeader(
  source: ByteSource,
  size: number,
  isNormal: boolean,
  report: Reporter,
  signal?: AbortSignal,
): Promise<TapeHeader> {
  for (let length = FIRST_READ; ; length *= 4) {
    const bytes = await source.read(0, Math.min(length, size), signal);
    const isAll = length >= size || length >= LONGEST_HEADER;
    const cursor = new ByteCursor(bytes);
    try {
      return isNormal ? normalHeader(cursor, report) : continuousHeader(cursor, report);
    } catch (error) {
      if (isAll || !(error instanceof LayoutError) || error.reason !== "truncated") throw error;
    }
  }
}

/** Text of a node; empty when there is none. */
export function textAt(node: PropertyNode, path: string): string {
  return propertyAt(node, path)?.value ?? "";
}

/** A tree as plain objects: leaves by their type, equally named nodes as `name[1]`. */
export function treeValue(node: PropertyNode): Value {
  if (node.value !== null) return leafValue(node.type, node.value);
  return Object.fromEntries(
    node.children.map((child) => [child.index === 0 ? child.name : `${child.name}[${child.index}]`, treeValue(child)]),
  );
}

function leafValue(type: string, text: string): Value {
  if (type === "bool") return text === "true" || Number.parseInt(text, 10) > 0;
  const isNumber = type === "int" || type === "long" || type === "float" || type === "double";
  const number = Number(text);
  return isNumber && text.trim() !== "" && Number.isFinite(number) ? number : text;
}

function continuousHeader(cursor: ByteCursor, report: Reporter): TapeHeader {
  const { layout, texts, isLengthWrong } = readContinuousHeader(cursor);
  if (isLengthWrong === true) reportLength(report);
  const bytes = cursor.bytes.slice(0, cursor.position);
  const parsed = texts.map((text) => treeOf(text, report));
  const { tree } = parsed[0]!;
  const found = layout === "current" ? (propertyChild(tree, "signals") ?? EMPTY) : parsed[1]!.tree;
  const { config, signals, isRepaired } = signalsOf(found, report);
  const meta = propertyChild(tree, "meta") ?? EMPTY;
  const compression = propertyChild(meta, "continuous-compression");
  return {
    layout,
    bytes,
    tree,
    config,
    isRepaired: isRepaired || isLengthWrong || parsed.some(({ isRepaired }) => isRepaired),
    meta,
    isCompressed: compression !== undefined && propertyInteger({ ...compression, type: "int" }) !== 0,
    data: dataOf(tree),
    signals,
    recorder: textAt(config, "name"),
    normalPackets: null,
  };
}

function normalHeader(cursor: ByteCursor, report: Reporter): TapeHeader {
  const texts = readNormalHeader(cursor);
  const isLengthWrong = texts.isLengthWrong === true;
  if (isLengthWrong) reportLength(report);
  const bytes = cursor.bytes.slice(0, cursor.position);
  const first = treeOf(texts.meta, report);
  const second = treeOf(texts.config, report);
  const { tree } = first;
  const { config, signals, isRepaired } = signalsOf(second.tree, report);
  const meta = propertyChild(tree, "meta") ?? EMPTY;
  // spec §3.3: `meta/data`, or a true `meta/multiplayer`
  const isListed = dataOf(meta).includes("multiplayer");
  const isCounted = treeValue(propertyChild(meta, "multiplayer") ?? EMPTY) === true;
  return {
    layout: "normal",
    bytes,
    tree,
    config,
    isRepaired: isRepaired || isLengthWrong || first.isRepaired || second.isRepaired,
    meta,
    isCompressed: false,
    data: dataOf(tree),
    signals,
    recorder: textAt(config, "name"),
    normalPackets: isListed ? "listed" : isCounted ? "counted" : null,
  };
}

function reportLength(report: Reporter): void {
  const message = "a length or type in the header is wrong; simtape reads its texts up to their ends";
  report.report({ code: "bad-header", severity: "damage", message });
}

const EMPTY: PropertyNode = { name: "", index: 0, type: "", value: null, children: [], attributes: [] };

function dataOf(node: PropertyNode): string[] {
  return propertyChildren(node, "data").map(({ value }) => value ?? "");
}

function treeOf(text: Uint8Array, report: Reporter): { readonly tree: PropertyNode; readonly isRepaired: boolean } {
  try {
    const tree = readTree(text, ({ kind, path, detail }) => {
      if (kind === "text") return;
      const message = `${kind}=${JSON.stringify(detail)} at ${path} of the header is not followed`;
      report.report({ code: `${kind}-ignored`, severity: "warning", message });
    });
    return { tree, isRepaired: false };
  } catch (error) {
    if (!(error instanceof LayoutError) || text.length > RESYNC_BYTES) throw error;
    const message = `a text of the header is not valid XML, and simtape uses the readable part: ${error.message} of it`;
    report.report({ code: "bad-header", severity: "damage", message });
    return { tree: resyncTree(TEXT.decode(text)), isRepaired: true };
  }
}

interface FoundSignals {
  readonly config: PropertyNode;
  readonly signals: SignalList;
  readonly isRepaired: boolean;
}

/** The signals of a config tree; where they do not make its record size, as they are put right when they can be. */
function signalsOf(config: PropertyNode, report: Reporter): FoundSignals {
  const list = readSignalList(config);
  for (const { property, reason } of list.dropped) {
    report.report({ code: "signal-dropped", severity: "note", message: `${property} takes no bytes: ${reason}` });
  }
  if (list.declaredSize === null || list.declaredSize === list.recordSize) {
    return { config, signals: list, isRepaired: false };
  }
  const { declaredSize, recordSize, signals } = list;
  const said = `the header says records of ${declaredSize} bytes, its ${signals.length} signals make ${recordSize}`;
  const repaired = repairSignals(config);
  const again = repaired === null ? null : readSignalList(repaired);
  const isRight = again !== null && again.recordSize === declaredSize;
  report.report({
    code: "record-size",
    severity: "damage",
    message: isRight ? `${said}: corrected by the number of signals of each type` : `${said}: values may be wrong`,
  });
  return isRight
    ? { config: repaired!, signals: again, isRepaired: true }
    : { config, signals: list, isRepaired: false };
}
