const SVG = "http://www.w3.org/2000/svg";

/** An element of SVG with attributes, below another. */
export function add(
  parent: Element,
  name: string,
  attributes: Readonly<Record<string, string | number>> = {},
): SVGElement {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  parent.append(element);
  return element;
}

/** Sets what has changed: most of a picture is as it was before. */
export function put(element: Element, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

export function write(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Draws it, or leaves it out. */
export function show(element: Element, isShown: boolean): void {
  if (isShown) element.removeAttribute("display");
  else put(element, "display", "none");
}

/** "−1,204" */
export function numberText(value: number): string {
  const rounded = Math.round(value);
  const digits = String(Math.abs(rounded)).replace(/\B(?=(\d{3})+$)/g, ",");
  return rounded < 0 ? `−${digits}` : digits;
}
