import { useSession } from "../../hooks.ts";
import { LateItems } from "../../ui/late-items.tsx";
import { MenuItem } from "../../ui/menu.tsx";
import { share } from "./share.ts";

/** The choices of the menu Share. */
export function ShareItems({ onEmbed }: { readonly onEmbed: () => void }) {
  const session = useSession();
  return (
    <LateItems>
      <MenuItem onSelect={() => void share(session)}>Copy the address of this moment</MenuItem>
      <MenuItem onSelect={onEmbed}>Embed in another page …</MenuItem>
    </LateItems>
  );
}
