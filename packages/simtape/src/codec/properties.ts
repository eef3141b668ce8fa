import { parseXml, XmlElement, XmlText } from "@rgrove/parse-xml";
import { LayoutError } from "../bytes/error.ts";
import { parseDouble, parseInteger } from "./c-numbers.ts";

/** One node of a FlightGear property tree. */
export interface PropertyNode {
  readonly name: string;
  /** Which of the equally named children of its parent it is. */
  readonly index: number;
  /** `bool`, `int`, `long`, `float`, `double`, `string`, or as written; empty when unspecified. */
  readonly type: string;
  /** Text of a leaf, white space included; null for a node that only has children. */
  readonly value: string | null;
  /** In creation order. */
  readonly children: readonly PropertyNode[];
  /** Attributes other than `n` and `type`, as written: `include` and `alias` are among them and never followed. */
  readonly attributes: readonly (readonly [name: string, value: string])[];
}

/** Something in the text that the tree does not follow or keep. */
export interface PropertyNotice {
  /** `include` and `alias`: an attribute that is not followed; `text`: words beside child nodes, dropped. */
  readonly kind: "include" | "alias" | "text";
  /** Path of the node, `/meta/data[1]`. */
  readonly path: string;
  /** The attribute's value, or the dropped text. */
  readonly detail: string;
}

/** Limits and listener for reading. */
export interface PropertyOptions {
  readonly notice?: (notice: PropertyNotice) => void;
  /** Longest text, in UTF-16 units; default 16 Mi. */
  readonly maxLength?: number;
  /** Deepest nesting below `PropertyList`; default 64. */
  readonly maxDepth?: number;
}

/**
 * Reads the text of a property list (XML with `PropertyList` as root) without its closing NUL; gives the root, whose
 * own name is `PropertyList`. Entities beyond XML's five are refused, document types have no effect.
 * Line ends CR LF become LF, as XML demands. Throws `LayoutError`; its offset is in characters of `text`.
 */
export function readProperties(text: string, options: PropertyOptions = {}): PropertyNode {
  const { maxLength = 16 * 1024 * 1024, maxDepth = 64, notice } = options;
  if (text.length > maxLength) {
    throw new LayoutError(
      "malformed",
      `property list of ${text.length} characters, ${maxLength} are allowed`,
      maxLength,
    );
  }
  weigh(text);
  const hidden = hideControls(text);
  const root = parse(hidden).root;
  if (root?.name !== "PropertyList") throw new LayoutError("malformed", "property list without PropertyList", 0);
  const building = new Building("PropertyList", 0, "");
  fill(building, root, { shown: hidden !== text, notice, path: "" }, maxDepth);
  return building;
}

/**
 * The text SimGear's writer gives for the tree, byte for byte once encoded as UTF-8, without a closing NUL.
 * A node with neither value nor children writes nothing, unless it carries attributes.
 */
export function writeProperties(root: PropertyNode): string {
  const parts = ['<?xml version="1.0"?>\n\n<PropertyList>\n'];
  for (const child of root.children) writeNode(parts, child, "  ");
  parts.push("</PropertyList>\n");
  return parts.join("");
}

/** A node to hang into a tree; `children` decides nothing about their indexes. */
export function propertyNode(
  name: string,
  content: {
    readonly index?: number;
    readonly type?: string;
    readonly value?: string;
    readonly children?: readonly PropertyNode[];
  } = {},
): PropertyNode {
  const { index = 0, type = "", value = null, children = [] } = content;
  return { name, index, type, value, children, attributes: [] };
}

/** Child of that name and index; undefined when there is none. */
export function propertyChild(node: PropertyNode, name: string, index = 0): PropertyNode | undefined {
  return node.children.find((child) => child.name === name && child.index === index);
}

/** All children of that name, by index. */
export function propertyChildren(node: PropertyNode, name: string): PropertyNode[] {
  return node.children.filter((child) => child.name === name).sort((a, b) => a.index - b.index);
}

/** Follows a relative path such as `meta/data[1]`; undefined when it leads nowhere. */
export function propertyAt(node: PropertyNode, path: string): PropertyNode | undefined {
  let here: PropertyNode | undefined = node;
  for (const step of path.split("/")) {
    const found = /^([^[\]]+)(?:\[(\d+)\])?$/.exec(step);
    if (here === undefined || found === null) return undefined;
    here = propertyChild(here, found[1]!, Number(found[2] ?? 0));
  }
  return here;
}

/** The value as SimGear's `getBoolValue` gives it; false for branches. */
export function propertyBoolean(node: PropertyNode): boolean {
  const text = node.value ?? "";
  if (text === "true") return true;
  return node.type === "bool" || isWhole(node.type) ? parseInteger(text) !== 0 : parseDouble(text) !== 0;
}

/** The value as SimGear's `getIntValue` gives it: `atoi`, or the whole part of a float or double; 0 for branches. */
export function propertyInteger(node: PropertyNode): number {
  const text = node.value ?? "";
  if (node.type === "bool") return propertyBoolean(node) ? 1 : 0;
  if (node.type !== "float" && node.type !== "double") return parseInteger(text);
  const number = parseDouble(text);
  return Number.isFinite(number) ? Math.trunc(number) : 0;
}

/** The value as SimGear's `getDoubleValue` gives it; 0 for branches and for text that is no number. */
export function propertyDouble(node: PropertyNode): number {
  const text = node.value ?? "";
  if (node.type === "bool") return propertyBoolean(node) ? 1 : 0;
  if (isWhole(node.type)) return parseInteger(text);
  return node.type === "float" ? Math.fround(parseDouble(text)) : parseDouble(text);
}

function isWhole(type: string): boolean {
  return type === "int" || type === "long";
}

/** A node while it is read. */
class Building implements PropertyNode {
  readonly name: string;
  readonly index: number;
  type: string;
  value: string | null = null;
  readonly children: Building[] = [];
  attributes: (readonly [string, string])[] = [];

  constructor(name: string, index: number, type: string) {
    this.name = name;
    this.index = index;
    this.type = type;
  }
}

interface Context {
  /** Control characters are hidden in the parsed text. */
  readonly shown: boolean;
  readonly notice: ((notice: PropertyNotice) => void) | undefined;
  readonly path: string;
}

function fill(node: Building, element: XmlElement, context: Context, depth: number): void {
  if (depth < 0) throw new LayoutError("malformed", "property list nested too deep", 0);
  const { notice, path, shown } = context;
  const show = shown ? showControls : (text: string): string => text;
  for (const [name, raw] of Object.entries(element.attributes)) {
    const value = show(raw);
    if (name === "include" || name === "alias") notice?.({ kind: name, path: path || "/", detail: value });
    if (name !== "n" && name !== "type") node.attributes.push([name, value]);
  }
  let text = "";
  let hasChildren = false;
  /** Next index by name. */
  const counters = new Map<string, number>();
  /** Nodes met already: the same name and index again goes on with the same node. */
  const known = new Map<string, Building>();
  for (const child of node.children) known.set(`${child.name}[${child.index}]`, child);
  for (const part of element.children) {
    if (part instanceof XmlText) text += part.text;
    if (!(part instanceof XmlElement)) continue;
    hasChildren = true;
    const given = part.attributes["n"];
    const index = given === undefined ? (counters.get(part.name) ?? 0) : parseInteger(given);
    if (index < 0) throw new LayoutError("malformed", `property ${path}/${part.name} with n="${given}"`, 0);
    counters.set(part.name, Math.max(counters.get(part.name) ?? 0, index + 1));
    const key = `${part.name}[${index}]`;
    let child = known.get(key);
    if (child === undefined) {
      child = new Building(part.name, index, "");
      known.set(key, child);
      node.children.push(child);
    }
    child.type = part.attributes["type"] ?? child.type;
    const step = index === 0 ? part.name : key;
    fill(child, part, { shown, notice, path: `${path}/${step}` }, depth - 1);
  }
  const isRoot = path === "";
  if (!hasChildren && !isRoot) node.value = show(text);
  else if (text.trim() !== "") notice?.({ kind: "text", path: path || "/", detail: show(text.trim()) });
}

/**
 * Memory of a parsed node with its place in the tree, of an attribute, and of a reference such as `&lt;`, about; and what a
 * text may take in all.
 */
const NODE_BYTES = 768;
const ATTRIBUTE_BYTES = 256;
const REFERENCE_BYTES = 64;
const ROOM = 128 * 1024 * 1024;

/** Refuses a text of more nodes, attributes and references than are to be held, before any is made. */
function weigh(text: string): void {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === LESS && text.charCodeAt(i + 1) !== SLASH) bytes += NODE_BYTES;
    else if (code === EQUALS) bytes += ATTRIBUTE_BYTES;
    else if (code === AMPERSAND) bytes += REFERENCE_BYTES;
    if (bytes > ROOM)
      throw new LayoutError(
        "malformed",
        `property list of more nodes and references than fit into ${ROOM / 2 ** 20} MiB of memory`,
        i,
      );
  }
}

const LESS = "<".charCodeAt(0);
const SLASH = "/".charCodeAt(0);
const EQUALS = "=".charCodeAt(0);
const AMPERSAND = "&".charCodeAt(0);

function parse(text: string): ReturnType<typeof parseXml> {
  try {
    return parseXml(text);
  } catch (error) {
    // the parser recurses once per level
    if (error instanceof RangeError) throw new LayoutError("malformed", "property list nested too deep", 0);
    const place = error instanceof Error && "pos" in error && typeof error.pos === "number" ? error.pos : 0;
    const reason = error instanceof Error ? error.message.split("\n", 1)[0] : String(error);
    throw new LayoutError("malformed", `property list: ${reason}`, place);
  }
}

// SimGear writes control characters as they are (FlightGear spec §1), which XML forbids. They pass the parser as 32
// code points that Unicode keeps free for such use and that no text holds; a text that does hold them is left alone.
const CONTROLS = /(?![\t\n\r])\p{Cc}(?<![\x7f-\x9f])/gu;
const STAND_INS = /[\ufdd0-\ufdef]/g;

function hideControls(text: string): string {
  if (text.search(CONTROLS) < 0 || text.search(STAND_INS) >= 0) return text;
  return text.replace(CONTROLS, (control) => String.fromCharCode(0xfdd0 + control.charCodeAt(0)));
}

function showControls(text: string): string {
  return text.replace(STAND_INS, (standIn) => String.fromCharCode(standIn.charCodeAt(0) - 0xfdd0));
}

// FlightGear spec §1: value first, then children, two spaces per level, `n` only when it is not 0, no type on branches
function writeNode(parts: string[], node: PropertyNode, indent: string): void {
  let head = `${indent}<${node.name}${node.index === 0 ? "" : ` n="${node.index}"`}`;
  for (const [name, value] of node.attributes) head += ` ${name}="${escapeText(value).replaceAll('"', "&quot;")}"`;
  const type = node.type === "" ? "" : ` type="${node.type}"`;
  if (node.value !== null) parts.push(`${head}${type}>${escapeText(node.value)}</${node.name}>\n`);
  else if (node.children.length === 0 && node.attributes.length > 0) parts.push(`${head}${type}/>\n`);
  if (node.children.length === 0) return;
  parts.push(`${head}>\n`);
  for (const child of node.children) writeNode(parts, child, `${indent}  `);
  parts.push(`${indent}</${node.name}>\n`);
}

function escapeText(text: string): string {
  if (!/[&<>]/.test(text)) return text;
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
