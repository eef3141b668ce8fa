import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ask } from "../api.ts";
import type { Item } from "../shapes.ts";
import { BatchEnd, BatchList, countText } from "./batch-list.tsx";
import { useBatch } from "./use-batch.ts";

/** Asks whether recordings are to be deleted, and deletes them. */
export function DeleteDialog({ items, onClose }: { readonly items: readonly Item[]; readonly onClose: () => void }) {
  const batch = useBatch<null>(items);
  const run = (): void => void batch.run(({ id }) => ask("DELETE /api/recordings/{id}", { params: { id } }));
  return (
    <Dialog title="Delete recordings" onClose={onClose}>
      <h2>Delete {countText(items.length)}?</h2>
      <p>Their files are deleted from the library, with their notes and links. This cannot be undone.</p>
      <BatchList items={items} batch={batch} done={() => "deleted"} />
      {batch.isDone ? (
        <BatchEnd count={items.length} batch={batch} done="deleted" onAgain={run} onClose={onClose} />
      ) : (
        <p className="batch-line">
          <Button kind="main" disabled={batch.isBegun} onClick={run}>
            Delete
          </Button>
          <Button disabled={batch.isBegun} onClick={onClose}>
            Keep them
          </Button>
        </p>
      )}
    </Dialog>
  );
}
