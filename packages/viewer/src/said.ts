/** What the server of this page has written into it under that name; empty: nothing. */
export function saidIn(name: "recordings" | "server" | "formats"): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="simtape-${name}"]`)?.content ?? "";
}
