import { useState } from "react";
import { useSession } from "../../hooks.ts";
import { chosenFiles } from "../../open/choose.ts";
import { sizeText } from "../../size.ts";
import { Button } from "../../ui/button.tsx";
import { ask, messageOf } from "../api.ts";
import { useMe } from "../me.tsx";
import { type Details, hasRole } from "../shapes.ts";

/** The files that show the world of a recording; staff and its owner add and remove them. */
export function WorldFiles({ details, onChange }: { readonly details: Details; readonly onChange: () => void }) {
  const session = useSession();
  const me = useMe();
  const [isBusy, setBusy] = useState(false);
  const { id, companions, url, owner } = details;
  const mayChange = hasRole(me, "staff") || (owner !== null && owner === me.id);
  if (companions.length === 0 && !mayChange) return null;
  const folder = url.slice(0, url.lastIndexOf("/") + 1);
  const add = async (): Promise<void> => {
    setBusy(true);
    try {
      for (const file of await chosenFiles())
        await ask("PUT /api/recordings/{id}/companions/{name}", { params: { id, name: file.name }, body: file });
    } catch (error) {
      session.tell(messageOf(error));
    }
    setBusy(false);
    onChange();
  };
  const remove = (name: string): void => {
    ask("DELETE /api/recordings/{id}/companions/{name}", { params: { id, name } })
      .catch((error: unknown) => session.tell(messageOf(error)))
      .finally(onChange);
  };
  return (
    <>
      <h3>World</h3>
      <ul className="side-files">
        {companions.map(({ name, bytes }) => (
          <li key={name}>
            <a href={folder + encodeURIComponent(name)} download={name}>
              {name}
            </a>{" "}
            <span className="faint">{sizeText(bytes)}</span>
            {mayChange && (
              <Button kind="bare" label={`Remove ${name}`} onClick={() => remove(name)}>
                ✕
              </Button>
            )}
          </li>
        ))}
      </ul>
      {mayChange && (
        <Button disabled={isBusy} onClick={() => void add()}>
          Add a road net, heights, a map or models …
        </Button>
      )}
    </>
  );
}
