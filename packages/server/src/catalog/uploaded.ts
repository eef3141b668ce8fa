/** Folder of the library into which uploads go: `uploads/USER/BATCH/…`. What is sent together is in one batch. */
export const UPLOADS = "uploads";

/** The id of the user whose upload a key is; null: it is none. */
export function ownerIn(key: string): string | null {
  const [folder, owner, batch, name] = key.split("/");
  return folder === UPLOADS && batch !== undefined && name !== undefined ? owner! : null;
}
