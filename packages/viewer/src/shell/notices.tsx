import { useSession, useViewer } from "../hooks.ts";
import { Button } from "../ui/button.tsx";

/** What was done, and what could not be opened while something else is. */
export function Notices() {
  const session = useSession();
  const notice = useViewer((state) => state.notice);
  const failure = useViewer((state) => state.failure);
  const error = useViewer(({ status }) => status.error);
  return (
    <div className="notices">
      {notice !== null && <p role="status">{notice}</p>}
      {error !== null && (
        <p role="alert">
          {error.message}{" "}
          {error.code === "source-changed" ? (
            <Button onClick={() => void session.openAgain()}>Open again</Button>
          ) : (
            <Button onClick={() => session.play()}>Try again</Button>
          )}
        </p>
      )}
      {failure !== null && (
        <p role="alert">
          <b>{failure.place.name}</b> {failure.message}{" "}
          <Button kind="bare" label="Close" onClick={() => session.forgetFailure()}>
            ✕
          </Button>
        </p>
      )}
    </div>
  );
}
