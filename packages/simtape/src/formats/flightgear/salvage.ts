import type { PropertyNode } from "../../codec/properties.ts";

interface Node extends PropertyNode {
  value: string | null;
  readonly children: Node[];
}

/** Deepest nesting that is kept. */
const MAX_DEPTH = 64;
const ATTRIBUTES = String.raw`((?:\s+[\w-]+\s*=\s*"[^"<>]*")*)`;
const TOKEN = new RegExp(String.raw`<(/?)([A-Za-z_][\w.-]*)${ATTRIBUTES}\s*(/?)>`, "g");
/** A line as FlightGear writes it: two spaces for each level, a tag, of a leaf its text and the closing tag. */
const LINE = new RegExp(String.raw`^((?:  )+)<([A-Za-z_][\w.-]*)${ATTRIBUTES}>([^<\n]*)`, "gm");

/**
 * What can be made of a tree text that is no sound XML. Where it is indented as FlightGear does it, the indentation
 * says what belongs where, and closing tags do not matter. Else tags that are whole are followed, a closing tag closes
 * the nearest open node of its name, everything else is text. The caller checks what came of it.
 */
export function salvageTree(text: string): PropertyNode {
  return /^ {2}<\w/m.test(text) && /^ {4}<\w/m.test(text) ? byIndentation(text) : byTags(text);
}

function byIndentation(text: string): Node {
  const root = newNode("PropertyList", 0, "");
  const open: Node[] = [root];
  for (const [, indent = "", name = "", attributes = "", content = ""] of text.matchAll(LINE)) {
    const depth = Math.min(indent.length / 2, MAX_DEPTH);
    // Of a level that is missing the next one above is taken.
    if (depth < open.length) open.length = depth;
    const node = childOf(open.at(-1)!, name, attributes);
    if (content.trim() !== "") node.value = plainText(content);
    open.push(node);
  }
  return root;
}

function byTags(text: string): Node {
  const root = newNode("PropertyList", 0, "");
  const open: Node[] = [root];
  let last = 0;
  for (const token of text.matchAll(TOKEN)) {
    const [whole, closing, name = "", attributes = "", empty] = token;
    const before = text.slice(last, token.index);
    last = token.index + whole.length;
    const here = open.at(-1)!;
    if (closing === "/") {
      const level = open.findLastIndex((node) => node.name === name);
      if (level <= 0) continue;
      if (here.children.length === 0 && here !== root) here.value = plainText(before);
      open.length = level;
      continue;
    }
    if (name === "PropertyList" || open.length > MAX_DEPTH) continue;
    const node = childOf(here, name, attributes);
    if (empty !== "/") open.push(node);
  }
  return root;
}

/** A new child of `parent` with the index that its attributes say, or the next. */
function childOf(parent: Node, name: string, attributes: string): Node {
  const given = /\bn\s*=\s*"(\d{1,6})"/.exec(attributes)?.[1];
  const next = parent.children.findLast((child) => child.name === name)?.index ?? -1;
  const node = newNode(name, given === undefined ? next + 1 : Number(given), typeIn(attributes));
  parent.children.push(node);
  return node;
}

function newNode(name: string, index: number, type: string): Node {
  return { name, index, type, value: null, children: [], attributes: [] };
}

function typeIn(attributes: string): string {
  return /\btype\s*=\s*"(\w+)"/.exec(attributes)?.[1] ?? "";
}

function plainText(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
