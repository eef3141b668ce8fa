/** Folder of the library that holds uploads: `uploads/USER/BATCH/…`. Files that are sent together are in one batch. */
export const UPLOADS = "uploads";

/** The id of the user who uploaded this key; null: it was not uploaded. */
export function ownerIn(key: string): string | null {
  const [folder, owner, batch, name] = key.split("/");
  return folder === UPLOADS && batch !== undefined && name !== undefined ? owner! : null;
}
