import { useState } from "react";
import { useSession } from "../../hooks.ts";
import { share } from "../../shell/sharing/share.ts";
import { Button } from "../../ui/button.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { ask, at, messageOf } from "../api.ts";
import { go } from "../route.tsx";
import { useMe } from "../me.tsx";
import { type Details, hasRole } from "../shapes.ts";
import { late } from "../../ui/late.tsx";

const ShareDialog = late(async () => (await import("./share-dialog.tsx")).ShareDialog);
const OutletDialog = late(async () => (await import("./outlet-dialog.tsx")).OutletDialog);
const ReportDialog = late(async () => (await import("./report-dialog.tsx")).ReportDialog);

/** What can be done with a recording of the library, in its bar. */
export function Actions({
  details,
  isShowing,
  onShow,
}: {
  readonly details: Details;
  readonly isShowing: boolean;
  readonly onShow: () => void;
}) {
  const session = useSession();
  const me = useMe();
  const [dialog, setDialog] = useState<"outlets" | "report" | "share" | null>(null);
  const close = (): void => setDialog(null);
  const watchTogether = async (): Promise<void> => {
    const ghosts = new URLSearchParams(location.search).getAll("ghost");
    const recordings = [...new Set([details.id, ...ghosts])];
    try {
      const body = { name: details.name.slice(0, 100), recordings };
      const room = await ask("POST /api/rooms", { body });
      go(at(`room/${room.id}`));
    } catch (error) {
      session.tell(messageOf(error));
    }
  };
  return (
    <>
      <Button aria-pressed={isShowing} onClick={onShow}>
        Details
      </Button>
      <Menu label="Share">
        <MenuItem onSelect={() => void share(session)}>Copy the address of this moment</MenuItem>
        <MenuItem onSelect={() => setDialog("share")}>Make a link for others …</MenuItem>
        <MenuItem onSelect={() => void watchTogether()}>Watch together</MenuItem>
        {hasRole(me, "staff") && <MenuItem onSelect={() => setDialog("outlets")}>Play into a program …</MenuItem>}
        <MenuItem onSelect={() => setDialog("report")}>Report to the staff …</MenuItem>
      </Menu>
      {dialog === "outlets" && <OutletDialog details={details} onClose={close} />}
      {dialog === "report" && <ReportDialog details={details} onClose={close} />}
      {dialog === "share" && <ShareDialog details={details} onClose={close} />}
    </>
  );
}
