import type { Shapes } from "simtape-client";
import { useEffect, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ask, at, messageOf, Refusal } from "../api.ts";
import type { Item } from "../shapes.ts";
import { BatchEnd, BatchList, countText } from "./batch-list.tsx";
import { useBatch } from "./use-batch.ts";

type Target = Shapes["ExportTargets"]["targets"][number];

/** A file to download. */
interface Made {
  readonly name: string;
  readonly href: string;
}

/** Milliseconds between two looks at a job. */
const LOOK_EVERY = 500;

/** Asks for a target, and writes recordings for it; or gives their own files. */
export function ExportDialog({ items, onClose }: { readonly items: readonly Item[]; readonly onClose: () => void }) {
  const batch = useBatch<readonly Made[]>(items);
  const [targets, setTargets] = useState<readonly Target[]>([]);
  const [failure, setFailure] = useState<string | null>(null);
  const [chosen, setChosen] = useState("");
  useEffect(() => {
    targetsOf(items)
      .then(setTargets)
      .catch((error: unknown) => setFailure(messageOf(error)));
  }, [items]);
  const run = (): void => void batch.run((item) => (chosen === "" ? ownFiles(item) : exported(item, chosen)));
  return (
    <Dialog title="Export recordings" onClose={onClose}>
      <h2>Export {countText(items.length)}</h2>
      <p className="batch-line">
        <select
          className="field"
          aria-label="What to export"
          value={chosen}
          disabled={batch.isBegun}
          onChange={(event) => setChosen(event.currentTarget.value)}
        >
          <option value="">the recordings themselves</option>
          {targets.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </p>
      {failure !== null && (
        <p role="alert" className="wrong">
          {failure}
        </p>
      )}
      <BatchList
        items={items}
        batch={batch}
        done={(files) =>
          files.map(({ name, href }) => (
            <a key={href} href={href} download={name}>
              {name}
            </a>
          ))
        }
      />
      {batch.isDone ? (
        <BatchEnd count={items.length} batch={batch} done="ready to download" onAgain={run} onClose={onClose} />
      ) : (
        <p className="batch-line">
          <Button kind="main" disabled={batch.isBegun} onClick={run}>
            Export
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </p>
      )}
    </Dialog>
  );
}

/** Targets that fit a recording of each format among them. */
async function targetsOf(items: readonly Item[]): Promise<readonly Target[]> {
  const ofFormats = new Map(items.map((item) => [item.format, item]));
  const answers = await Promise.all(
    [...ofFormats.values()].map(({ id }) => ask("GET /api/recordings/{id}/export/targets", { params: { id } })),
  );
  const [first, ...others] = answers.map(({ targets }) => targets.filter(({ fits }) => fits.length > 0));
  return first?.filter(({ id }) => others.every((other) => other.some((target) => target.id === id))) ?? [];
}

async function ownFiles({ id }: Item): Promise<readonly Made[]> {
  const { files, url } = await ask("GET /api/recordings/{id}", { params: { id } });
  const folder = url.slice(0, url.lastIndexOf("/") + 1);
  return files.map(({ name }) => ({ name, href: folder + encodeURIComponent(name) }));
}

/** Waits for the job that writes the files. */
async function exported({ id }: Item, to: string): Promise<readonly Made[]> {
  const begun = await ask("POST /api/recordings/{id}/exports", { params: { id }, body: { to } });
  for (;;) {
    const { state, error, result } = await ask("GET /api/jobs/{id}", { params: { id: begun.id } });
    if (state === "failed" || state === "cancelled") throw new Refusal(0, error ?? "The export was cancelled");
    if (state === "done") {
      const { files } = result as { files: readonly { name: string }[] };
      return files.map(({ name }) => ({ name, href: at(`api/jobs/${begun.id}/files/${encodeURIComponent(name)}`) }));
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY));
  }
}
