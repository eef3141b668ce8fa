/** Statements that were run in this browser, the newest first. */
const KEY = "simtape-sql";
const MOST = 100;

export function history(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter((one) => typeof one === "string").slice(0, MOST) : [];
  } catch {
    return [];
  }
}

/** Puts a statement first; gives the whole history. */
export function remember(statement: string): readonly string[] {
  const all = [statement, ...history().filter((one) => one !== statement)].slice(0, MOST);
  return keep(all);
}

export function forgetAll(): readonly string[] {
  return keep([]);
}

function keep(all: readonly string[]): readonly string[] {
  try {
    localStorage.setItem(KEY, JSON.stringify(all));
  } catch {
    // Storage is refused to pages in private windows: the list holds as long as the page.
  }
  return all;
}
