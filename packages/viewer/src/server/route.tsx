import type { AnchorHTMLAttributes, MouseEvent } from "react";
import { Observable } from "../observable.ts";
import { useObservable } from "../hooks.ts";

/** Where the page is: path and search. What is behind `#` belongs to the recording. */
const here: Observable<string> = new Observable(current());

addEventListener("popstate", () => here.set(current()));

export function useRoute(): URL {
  return new URL(
    useObservable(here, (value) => value),
    location.origin,
  );
}

/** Goes to another page of this server, without loading it again. */
export function go(address: string, how: "push" | "replace" = "push"): void {
  if (how === "push") history.pushState(null, "", address);
  else history.replaceState(null, "", address);
  here.set(current());
}

/** A link within the server: a plain click stays in this page. */
export function Link(props: AnchorHTMLAttributes<HTMLAnchorElement> & { readonly href: string }) {
  // biome-ignore lint/a11y/useValidAnchor: it is a link; a plain click goes there without loading the page
  // biome-ignore lint/a11y/noStaticElementInteractions: its address makes it a link
  // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click
  return <a {...props} onClick={(event) => follow(event, props.href)} />;
}

function follow(event: MouseEvent, address: string): void {
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (!isPlain || event.defaultPrevented) return;
  event.preventDefault();
  go(address);
}

function current(): string {
  return location.pathname + location.search;
}
