import { type IconName, PATHS } from "../ui/icons.ts";

const SVG = "http://www.w3.org/2000/svg";

/** An element with a class, and what is in it. */
export function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className: string,
  ...inside: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  element.className = className;
  element.append(...inside);
  return element;
}

/** A button with a sign; its label names it and is its tip. */
export function signButton(icon: IconName, label: string, press: () => void): HTMLButtonElement {
  const button = make("button", "button button-bare", sign(icon));
  button.type = "button";
  setLabel(button, label);
  button.addEventListener("click", press);
  return button;
}

export function setLabel(element: HTMLElement, label: string): void {
  element.title = label;
  element.setAttribute("aria-label", label);
}

export function sign(icon: IconName): SVGElement {
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("viewBox", "0 0 16 16");
  picture.setAttribute("width", "14");
  picture.setAttribute("height", "14");
  picture.setAttribute("fill", "currentColor");
  picture.setAttribute("aria-hidden", "true");
  picture.append(document.createElementNS(SVG, "path"));
  setSign(picture, icon);
  return picture;
}

/** Shows another sign. */
export function setSign(within: Element, icon: IconName): void {
  within.querySelector("path")!.setAttribute("d", PATHS[icon]);
}
