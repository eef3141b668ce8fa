import { useState } from "react";
import { useSession, useViewer } from "../hooks.ts";
import { Button } from "../ui/button.tsx";
import { locatorAt } from "./files.ts";
import { useRecordings } from "./listed.ts";
import { isAbout, Outcome } from "./outcome.tsx";
import { pickFiles } from "./pick.ts";
import { late } from "../ui/late.tsx";

/** Of pages of `simtape view` alone. */
const RecordingList = late(async () => (await import("./recording-list.tsx")).RecordingList);

/** Shown while nothing is open: how to open something, what is being opened, and why it could not be. */
export function StartPage() {
  const session = useSession();
  const list = useRecordings();
  const isListed = useViewer((state) => list.some((listed) => isAbout(state, listed)));
  const isOpening = useViewer(({ phase }) => phase === "opening");
  // the only one comes first: what shows lists is not loaded meanwhile
  const hasList = list.length > 1 || (list.length === 1 && !(isListed && isOpening));
  const [address, setAddress] = useState("");
  const [isWrong, setWrong] = useState(false);
  return (
    <main className="start">
      <div className="start-card">
        <h1>
          <img src="./icon.svg" alt="" width={36} height={36} /> simtape
        </h1>
        <p>
          Drop a recording of {FORMAT_NAMES} anywhere on this page: one file, a pair, or a folder of segments. It is
          read here, in your browser, and goes nowhere.
        </p>
        <div className="start-buttons">
          <Button kind="main" onClick={() => void pickFiles(session, "files")}>
            Open files …
          </Button>
          <Button onClick={() => void pickFiles(session, "folder")}>Open a folder …</Button>
        </div>
        <form
          className="start-address"
          onSubmit={(event) => {
            event.preventDefault();
            try {
              void session.open(locatorAt(address));
              setWrong(false);
            } catch {
              setWrong(true);
            }
          }}
        >
          <input
            className="field"
            aria-invalid={isWrong}
            aria-label="Address of a recording"
            placeholder="https://example.org/run.hcrp"
            value={address}
            onChange={(event) => setAddress(event.currentTarget.value)}
          />
          <Button type="submit" disabled={address === ""}>
            Open address
          </Button>
        </form>
        {isWrong && <p role="alert">This is not a web address.</p>}
        {!(isListed && hasList) && <Outcome />}
        {hasList && <RecordingList list={list} />}
      </div>
    </main>
  );
}
