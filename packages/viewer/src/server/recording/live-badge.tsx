import { Button } from "../../ui/button.tsx";
import type { Live } from "./use-live.ts";

/** That a recording is being made, and whether what is shown is of now; a click goes there. */
export function LiveBadge({ live: { isNow, goNow } }: { readonly live: Live }) {
  return (
    <Button
      className="button button-plain live-badge"
      aria-pressed={isNow}
      onClick={goNow}
      title="Back to what is happening now (End)"
    >
      Live
    </Button>
  );
}
