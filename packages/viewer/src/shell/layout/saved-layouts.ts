const KEY = "simtape-layouts";

/** Layouts the user has named, by name; kept by the browser. */
export function savedLayouts(): Readonly<Record<string, unknown>> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return typeof kept === "object" && kept !== null ? (kept as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Undefined takes it out. False: the browser keeps nothing for this page. */
export function saveLayout(name: string, layout: unknown): boolean {
  const { [name]: _, ...others } = savedLayouts();
  try {
    localStorage.setItem(KEY, JSON.stringify(layout === undefined ? others : { ...others, [name]: layout }));
    return true;
  } catch {
    return false;
  }
}
