import { Observable } from "./observable.ts";

export type Scheme = "light" | "dark";

const KEY = "simtape-scheme";
const system = matchMedia("(prefers-color-scheme: dark)");

/** Light or dark: what the user chose, else what the system says. */
export const scheme: Observable<Scheme> = new Observable(chosen() ?? systemScheme());

system.addEventListener("change", () => {
  if (chosen() === null) scheme.set(systemScheme());
});
scheme.subscribe(apply);
apply();

export function choose(next: Scheme): void {
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // Storage is refused to pages in private windows: the choice holds as long as the page.
  }
  scheme.set(next);
}

function chosen(): Scheme | null {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === "light" || kept === "dark" ? kept : null;
  } catch {
    return null;
  }
}

function systemScheme(): Scheme {
  return system.matches ? "dark" : "light";
}

function apply(): void {
  document.documentElement.dataset["scheme"] = scheme.value;
}
