import type { Shapes } from "simtape-client";
import { useEffect, useState } from "react";
import { useSession } from "../../hooks.ts";
import { ask, messageOf } from "../api.ts";
import type { Details } from "../shapes.ts";

const WHO = { off: "staff", own: "staff, and whose it is", all: "all" } as const;

/** The collection that a recording is in, which says who may read it: for staff. Nothing where there are none. */
export function CollectionChoice({ details, onChange }: { readonly details: Details; readonly onChange: () => void }) {
  const session = useSession();
  const [collections, setCollections] = useState<readonly Shapes["Collection"][]>([]);
  useEffect(() => {
    ask("GET /api/collections")
      .then((found) => setCollections(found.collections))
      .catch(() => undefined);
  }, []);
  if (collections.length === 0) return null;
  const put = (collection: string | null): void => {
    ask("PUT /api/recordings/{id}/collection", { params: { id: details.id }, body: { collection } })
      .then(onChange)
      .catch((error: unknown) => session.tell(messageOf(error)));
  };
  return (
    <>
      <h3>Collection</h3>
      <select
        className="field"
        aria-label="Collection"
        value={details.collection ?? ""}
        onChange={(event) => put(event.currentTarget.value === "" ? null : event.currentTarget.value)}
      >
        <option value="">none</option>
        {collections.map(({ id, name, public: policy }) => (
          <option key={id} value={id}>
            {name} (for {WHO[policy]})
          </option>
        ))}
      </select>
    </>
  );
}
