import type { XmlElement } from "@rgrove/parse-xml";

/** The elements right inside of another, in their order. */
export function elementsOf(parent: XmlElement): XmlElement[] {
  return parent.children.filter((node): node is XmlElement => node.type === "element");
}

/** Those of a name. */
export function children(parent: XmlElement, name: string): XmlElement[] {
  return elementsOf(parent).filter((element) => element.name === name);
}

/** The first of a name. */
export function child(parent: XmlElement, name: string): XmlElement | undefined {
  return elementsOf(parent).find((element) => element.name === name);
}
