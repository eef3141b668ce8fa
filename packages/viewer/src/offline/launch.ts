import type { Session } from "../session.ts";

/** Opens files that the system hands to the page, as if they were dropped: recordings with their companions. */
export async function openLaunched(session: Session, handles: readonly FileSystemFileHandle[]): Promise<void> {
  try {
    const files = await Promise.all(handles.map((handle) => handle.getFile()));
    await (await import("../open/open-files.ts")).openFiles(session, files, "main");
  } catch (error) {
    session.tell(`Cannot open ${handles.map(({ name }) => name).join(", ")}: ${(error as Error).message}`);
  }
}
