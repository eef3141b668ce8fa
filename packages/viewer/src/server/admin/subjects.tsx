import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { ask, messageOf } from "../api.ts";
import { type Found, FoundSubject } from "./found-subject.tsx";
import { SubjectRequests } from "./subject-requests.tsx";

/** What is kept of one person: found, exported, put on hold, erased. */
export function Subjects() {
  const [draft, setDraft] = useState("");
  const [who, setWho] = useState<readonly string[]>([]);
  const [found, setFound] = useState<Found | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [asked, setAsked] = useState(0);
  const find = async (words: readonly string[]): Promise<void> => {
    const [first = "", ...also] = words;
    try {
      setFound(await ask("POST /api/subjects/{id}/find", { params: { id: first }, body: { also } }));
      setWho(words);
      setFailure(null);
    } catch (error) {
      setFound(null);
      setFailure(messageOf(error));
    }
  };
  return (
    <>
      <form
        className="reviews-head"
        onSubmit={(event) => {
          event.preventDefault();
          void find(draft.split(",").flatMap((word) => word.trim() || []));
        }}
      >
        <label>
          Name, UUID or account{" "}
          <input
            className="field"
            required
            placeholder="several of one person: with commas"
            value={draft}
            onChange={(event) => setDraft(event.currentTarget.value)}
          />
        </label>
        <Button type="submit" kind="main" disabled={draft.trim() === ""}>
          Find
        </Button>
      </form>
      {failure !== null && (
        <p role="alert" className="wrong">
          {failure}
        </p>
      )}
      {found !== null && (
        <FoundSubject
          who={who}
          found={found}
          onChanged={() => void find(who)}
          onAsked={() => setAsked((before) => before + 1)}
        />
      )}
      <h2>What was asked for</h2>
      <SubjectRequests key={asked} />
    </>
  );
}
