import { ByteBuilder } from "../../../bytes/builder.ts";
import { type PropertyNode, propertyNode } from "../../../codec/properties.ts";
import type { Value } from "../../../model/values/value.ts";
import type { Dialect } from "../read/dialects.ts";
import type { TapeHeader } from "../layout/header.ts";
import { writeContinuousHeader, writeNormalHeader, writeTree } from "../layout/layout.ts";

/** What a header is made from. */
export interface HeaderPlan {
  readonly dialect: Dialect;
  /** A header to take after. */
  readonly like: { readonly header: TapeHeader; readonly dialect: Dialect } | null;
  /** Overrides, as `RecordingInfo.metadata` of a tape has them. */
  readonly metadata: Readonly<Record<string, Value>>;
  /** Data items of each frame. */
  readonly data: readonly string[];
  /** Nodes of the config tree (`writeSignalList`). */
  readonly config: readonly PropertyNode[];
  /** Native seconds from the first frame to the last; 0 in Continuous tapes, whose header is written first. */
  readonly duration: number;
  /** Frames hold packets: only a Normal tape says so here. */
  readonly hasPackets: boolean;
}

/**
 * Header bytes up to the first frame, or to the first container of frames, as FlightGear writes them (spec §3.4, §4.1).
 */
export function makeHeader(plan: HeaderPlan): Uint8Array {
  const { dialect, data, config } = plan;
  const builder = new ByteBuilder(1 << 16);
  const root = (children: readonly PropertyNode[]): Uint8Array => writeTree(propertyNode("PropertyList", { children }));
  const meta = metaNode(plan);
  const others = (plan.like?.header.tree.children ?? []).filter(({ name }) => !OWN_NODES.has(name));
  const items = data.map((value, index) => propertyNode("data", { index, type: "string", value }));
  switch (dialect) {
    case "continuous":
    case "continuous-compressed":
    case "recovery":
      writeContinuousHeader(builder, {
        layout: "current",
        texts: [root([meta, ...others, ...items, propertyNode("signals", { children: config })])],
      });
      break;
    case "continuous-2020":
      writeContinuousHeader(builder, { layout: "first", texts: [root([meta, ...others]), root(config)] });
      break;
    case "normal":
    case "normal-2024":
      // 2024.1 names its items at the root, whatever it stores (spec §3.3).
      writeNormalHeader(builder, { meta: root([meta, ...others, leaf("data", "signals")]), config: root(config) });
      break;
    case "normal-2020":
    case "normal-2019":
      writeNormalHeader(builder, { meta: root([meta, ...others]), config: root(config) });
      break;
    default:
      dialect satisfies never;
  }
  return builder.take();
}

/** A number as C++ streams write it with 10 significant digits, which is how property trees hold them (spec §1). */
export function doubleText(value: number): string {
  if (value === 0 || !Number.isFinite(value))
    return Number.isFinite(value) ? "0" : Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  const [digits, power] = value.toExponential(9).split("e") as [string, string];
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 10) return trimmed(value.toFixed(9 - exponent));
  const sign = exponent < 0 ? "-" : "+";
  return `${trimmed(digits)}e${sign}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** Children of the root that are made again. */
const OWN_NODES: ReadonlySet<string> = new Set(["meta", "data", "signals"]);

/** Children of `meta` in the order in which FlightGear writes them (spec §3.4); others come behind. */
const META_ORDER = [
  "aircraft-type",
  "aircraft-description",
  "aircraft-fdm",
  "closest-airport-id",
  "aircraft-version",
  "continuous-compression",
  "tape-duration",
  "tape-duration-str",
  "version",
  "user-data",
  "messages",
  "multiplayer",
  "data",
];

/** What a dialect says of the FlightGear that writes it. */
const RELEASES: Readonly<Record<Dialect, string>> = {
  continuous: "2024.1.5",
  "continuous-compressed": "2024.1.5",
  recovery: "2024.1.5",
  "continuous-2020": "2020.3.0",
  normal: "2024.1.5",
  "normal-2024": "2024.1.5",
  "normal-2020": "2020.3.16",
  "normal-2019": "2019.1.1",
};

function metaNode(plan: HeaderPlan): PropertyNode {
  const { dialect, like, metadata, hasPackets } = plan;
  const nodes = new Map<string, PropertyNode>();
  const set = (node: PropertyNode): void => void nodes.set(`${node.name}[${node.index}]`, node);
  const release = RELEASES[dialect];
  if (like === null) {
    set(leaf("aircraft-type", "ufo"));
    set(leaf("aircraft-description", ""));
    set(leaf("aircraft-fdm", ""));
    set(leaf("closest-airport-id", "KSFO"));
    set(leaf("aircraft-version", "(undefined)"));
    set(versionNode(release));
  } else {
    for (const node of like.header.meta.children) set(node);
    // The release tells generations of Normal tapes apart (spec §3.3).
    if (RELEASES[like.dialect] !== release) set(versionNode(release));
  }
  for (const [key, name] of TEXTS) {
    const value = metadata[key];
    if (typeof value === "string") set(leaf(name, value));
  }
  if (isTree(metadata["meta"])) for (const node of nodesOf(metadata["meta"])) merge(nodes, node);
  const given = metadata["flightgear"];
  if (typeof given === "string") merge(nodes, propertyNode("version", { children: [leaf("flightgear", given)] }));
  set(leaf("tape-duration", doubleText(plan.duration), "double"));
  set(leaf("tape-duration-str", durationText(plan.duration)));
  for (const name of ["continuous-compression[0]", "multiplayer[0]", "data[0]"]) nodes.delete(name);
  if (dialect.startsWith("continuous") && dialect !== "continuous-2020") {
    set(leaf("continuous-compression", dialect === "continuous" ? "0" : "1", "int"));
  }
  // The one mark of packets that 2020.3 and 2024.1 both read (spec §3.3); 2020.x sets it always.
  if (dialect === "normal-2020" || (dialect === "normal" && hasPackets))
    set(leaf("multiplayer", hasPackets ? "true" : "false", "bool"));
  if (dialect === "normal-2024" && hasPackets) set(leaf("data", "multiplayer"));
  const rank = ({ name }: PropertyNode): number => {
    const at = META_ORDER.indexOf(name);
    return at < 0 ? META_ORDER.length : at;
  };
  const children = [...nodes.values()].sort((a, b) => rank(a) - rank(b));
  return propertyNode("meta", { children });
}

/** Keys of `RecordingInfo.metadata`, and the nodes that they come from. */
const TEXTS = [
  ["aircraft", "aircraft-type"],
  ["description", "aircraft-description"],
  ["airport", "closest-airport-id"],
] as const;

function versionNode(release: string): PropertyNode {
  return propertyNode("version", {
    children: [
      leaf("flightgear", release),
      leaf("simgear", release),
      leaf("openscenegraph", "none"),
      leaf("revision", "none"),
      leaf("build-number", "0", "int"),
      leaf("build-id", "none"),
      leaf("hla-support", "false", "bool"),
      leaf("build-type", "none"),
    ],
  });
}

function leaf(name: string, value: string, type = "string", index = 0): PropertyNode {
  return propertyNode(name, { index, type, value });
}

/** `M:SS` or `H:MM:SS`, cut to whole seconds (spec §3.4). */
function durationText(seconds: number): string {
  const whole = Math.trunc(seconds);
  const two = (value: number): string => String(value).padStart(2, "0");
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}:${two(whole % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}`;
}

function trimmed(digits: string): string {
  return digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits;
}

type Tree = { readonly [key: string]: Value };

function isTree(value: Value | undefined): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

/**
 * Nodes of a tree given as plain objects, names with their index as in `user[1]`; what is no leaf of a tree is left
 * out.
 */
function nodesOf(tree: Tree): PropertyNode[] {
  const nodes: PropertyNode[] = [];
  for (const [key, value] of Object.entries(tree)) {
    const found = /^([A-Za-z_][\w.-]*)(?:\[(\d{1,6})\])?$/.exec(key);
    if (found === null) continue;
    const [, name = "", n = "0"] = found;
    const index = Number(n);
    if (isTree(value)) nodes.push(propertyNode(name, { index, children: nodesOf(value) }));
    else if (typeof value === "string") nodes.push(leaf(name, value, "string", index));
    else if (typeof value === "boolean") nodes.push(leaf(name, String(value), "bool", index));
    else if (typeof value === "number") {
      const isWhole = Number.isInteger(value) && Math.abs(value) < 2 ** 31;
      nodes.push(leaf(name, isWhole ? String(value) : doubleText(value), isWhole ? "int" : "double", index));
    }
  }
  return nodes;
}

/** Lays `node` over the one of its name: leaves are replaced and keep their type, other children stay. */
function merge(nodes: Map<string, PropertyNode>, node: PropertyNode): void {
  const key = `${node.name}[${node.index}]`;
  const there = nodes.get(key);
  if (there === undefined) {
    nodes.set(key, node);
    return;
  }
  if (node.value !== null) {
    nodes.set(key, { ...there, type: there.type === "" ? node.type : there.type, value: node.value, children: [] });
    return;
  }
  const children = new Map(there.children.map((child) => [`${child.name}[${child.index}]`, child]));
  for (const child of node.children) merge(children, child);
  nodes.set(key, { ...there, value: null, children: [...children.values()] });
}
