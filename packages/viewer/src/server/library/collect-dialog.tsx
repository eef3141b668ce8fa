import type { Shapes } from "simtape-client";
import { useEffect, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ask, messageOf } from "../api.ts";
import type { Item } from "../shapes.ts";
import { BatchEnd, BatchList, countText } from "./batch-list.tsx";
import { useBatch } from "./use-batch.ts";

/** Who may read the recordings of a collection. */
const WHO = { off: "staff", own: "staff, and whose they are", all: "all" } as const;

/** Asks for a collection, and puts recordings into it. */
export function CollectDialog({ items, onClose }: { readonly items: readonly Item[]; readonly onClose: () => void }) {
  const batch = useBatch<unknown>(items);
  const [collections, setCollections] = useState<readonly Shapes["Collection"][] | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [chosen, setChosen] = useState("");
  useEffect(() => {
    ask("GET /api/collections")
      .then((found) => setCollections(found.collections))
      .catch((error: unknown) => setFailure(messageOf(error)));
  }, []);
  const run = (): void => {
    const body = { collection: chosen === "" ? null : chosen };
    void batch.run(({ id }) => ask("PUT /api/recordings/{id}/collection", { params: { id }, body }));
  };
  return (
    <Dialog title="Collect recordings" onClose={onClose}>
      <h2>Put {countText(items.length)} into a collection</h2>
      <p>The collection says who may read them. A recording is in one collection at most.</p>
      <p className="batch-line">
        <select
          className="field"
          aria-label="Collection"
          value={chosen}
          disabled={batch.isBegun}
          onChange={(event) => setChosen(event.currentTarget.value)}
        >
          <option value="">none</option>
          {collections?.map(({ id, name, public: policy }) => (
            <option key={id} value={id}>
              {name} (for {WHO[policy]})
            </option>
          ))}
        </select>
      </p>
      {collections?.length === 0 && <p className="hint">There are none yet: administrators make them.</p>}
      {failure !== null && (
        <p role="alert" className="wrong">
          {failure}
        </p>
      )}
      <BatchList items={items} batch={batch} done={() => "collected"} />
      {batch.isDone ? (
        <BatchEnd count={items.length} batch={batch} done="collected" onAgain={run} onClose={onClose} />
      ) : (
        <p className="batch-line">
          <Button kind="main" disabled={batch.isBegun || collections === null} onClick={run}>
            Collect
          </Button>
          <Button disabled={batch.isBegun} onClick={onClose}>
            Cancel
          </Button>
        </p>
      )}
    </Dialog>
  );
}
