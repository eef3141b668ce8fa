import type { PropertyNode } from "../../../codec/properties.ts";

interface Node extends PropertyNode {
  name: string;
  index: number;
  value: string | null;
  children: Node[];
}

/** Deepest nesting that is kept. */
const MAX_DEPTH = 64;
const ATTRIBUTES = String.raw`((?:\s+[\w-]+\s*=\s*"[^"<>]*")*)`;
const TOKEN = new RegExp(String.raw`<(/?)([A-Za-z_][\w.-]*)${ATTRIBUTES}\s*(/?)>`, "g");
/** A line as FlightGear writes it: two spaces for each level, then a tag and whatever follows. */
const LINE = /^((?: {2})+)<(\/?)([^\n]*)/gm;
/** What follows `<` in such a line: a tag with its text, if any, and the closing tag of a leaf. */
const OPENING = /^([A-Za-z_][\w.-]*)([^<>]*)>([^<]*)(?:<\/([A-Za-z_][\w.-]*)>)?/;
/** The end of the line of a leaf whose first tag is damaged. */
const ENDING = /(?:>([^<>]*))?<\/([A-Za-z_][\w.-]*)>/;
const NAME = /^[A-Za-z_][\w.-]*/;
/** Name of a node whose tags are both damaged. */
const LOST = "lost";
/** Names without which a tape cannot be read: believed when the other tag of a node says something else. */
const NEEDED: ReadonlySet<string> = new Set(["meta", "data", "signals", "signal", "type", "interpolation", "property"]);

/**
 * What can be made of a tree text that is no sound XML. Where it is indented as FlightGear does it, the indentation
 * says what belongs where, and either tag of a node gives its name. Else tags that are whole are followed, a closing tag
 * closes the nearest open node of its name, everything else is text. The caller checks what came of it.
 */
export function resyncTree(text: string): PropertyNode {
  return /^ {2}<\w/m.test(text) && /^ {4}<\w/m.test(text) ? byIndentation(text) : byTags(text);
}

function byIndentation(text: string): Node {
  const root = newNode("PropertyList", 0, "");
  const open: Node[] = [root];
  for (const [, indent = "", slash, rest = ""] of text.matchAll(LINE)) {
    const depth = Math.min(indent.length / 2, MAX_DEPTH);
    if (slash === "/") {
      close(open, depth, NAME.exec(rest)?.[0]);
      continue;
    }
    // Of a level that is missing the next one above is taken.
    if (depth < open.length) open.length = depth;
    open.push(lineNode(open.at(-1)!, rest));
  }
  return root;
}

/** The node that a line opens, or all of a leaf; `line` is what follows its first `<`. */
function lineNode(parent: Node, line: string): Node {
  const whole = OPENING.exec(line);
  const [first, last, content] =
    whole === null ? [undefined, ...(ENDING.exec(line)?.slice(1).reverse() ?? [])] : [whole[1], whole[4], whole[3]];
  const node = childOf(parent, settled(first, last), line);
  if (content !== undefined && content.trim() !== "") node.value = plainText(content);
  return node;
}

/** The closing tag of the node open at `depth`, or of one whose first tag is gone while its children are there. */
function close(open: Node[], depth: number, name: string | undefined): void {
  const node = open[depth];
  if (node === undefined || name === undefined) return;
  const parent = open[depth - 1]!;
  open.length = depth;
  if (node.value === null) {
    const right = settled(node.name, name);
    if (right !== node.name) rename(parent, node, right);
  } else if (node.children.length > 0) {
    childOf(parent, name, "").children = node.children.splice(0);
  }
}

/** Which of the names in the two tags of a node is right. */
function settled(first: string | undefined, last: string | undefined): string {
  if (first === undefined || first === LOST) return last ?? LOST;
  return last !== undefined && !NEEDED.has(first) && NEEDED.has(last) ? last : first;
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
  const index = given === undefined ? nextIndex(parent, name) : Number(given);
  const node = newNode(name, index, /\btype\s*=\s*"(\w+)"/.exec(attributes)?.[1] ?? "");
  parent.children.push(node);
  return node;
}

function rename(parent: Node, node: Node, name: string): void {
  node.index = nextIndex(parent, name);
  node.name = name;
}

function nextIndex(parent: Node, name: string): number {
  return (parent.children.findLast((child) => child.name === name)?.index ?? -1) + 1;
}

function newNode(name: string, index: number, type: string): Node {
  return { name, index, type, value: null, children: [], attributes: [] };
}

function plainText(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
