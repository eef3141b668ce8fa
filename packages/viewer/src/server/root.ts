import { saidIn } from "../said.ts";

/** Where the server of this page has its root, when that is `simtape serve`; null: the page has no such server. */
export function serverRoot(): string | null {
  const content = saidIn("server");
  return content === "" ? null : new URL(content, location.origin).pathname.replace(/\/?$/, "/");
}
