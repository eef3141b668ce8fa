import type { AnswerOf } from "simtape-client";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ask, at, messageOf } from "../api.ts";
import { Link } from "../route.tsx";
import { Table } from "./table.tsx";

/** What the server knows of a subject. */
export type Found = AnswerOf<"POST /api/subjects/{id}/find">;

/** A subject that was found by the words `who`, and what can be done with what is kept of them. */
export function FoundSubject({
  who,
  found: { names, uuids, accounts, recordings },
  onChanged,
  onAsked,
}: {
  readonly who: readonly string[];
  readonly found: Found;
  readonly onChanged: () => void;
  readonly onAsked: () => void;
}) {
  const [failure, setFailure] = useState<string | null>(null);
  const [isErasing, setErasing] = useState(false);
  const [holding, setHolding] = useState<string | null>(null);
  const after = async (answer: Promise<unknown>, then: () => void): Promise<void> => {
    try {
      await answer;
      setFailure(null);
      then();
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  const [first = "", ...also] = who;
  const params = { id: first };
  const held = recordings.filter(({ holds }) => holds.length > 0).length;
  const rows = recordings.map(({ id, name, state, isOnlyTheirs, holds }) => ({
    key: id,
    cells: [
      <Link key="name" href={at(`r/${id}`)}>
        {name}
      </Link>,
      state === "live" ? "stays while it is live" : isOnlyTheirs ? "deleted" : "names replaced",
      <ul key="holds" className="plain-list">
        {holds.map((hold) => (
          <li key={hold.id}>
            {hold.reason}{" "}
            <Button
              label={`End the hold of ${name}`}
              onClick={() =>
                void after(
                  ask("DELETE /api/recordings/{id}/holds/{hold}", { params: { id, hold: hold.id } }),
                  onChanged,
                )
              }
            >
              End
            </Button>
          </li>
        ))}
      </ul>,
      <Button key="hold" label={`Put ${name} on hold`} onClick={() => setHolding(id)}>
        Hold …
      </Button>,
    ],
  }));
  return (
    <section aria-label="Found">
      <p>
        {[...names, ...uuids].join(", ")}
        {accounts.length > 0 && `; ${accounts.length === 1 ? "has an account" : `has ${accounts.length} accounts`}`}
      </p>
      <div className="reviews-head">
        <Button onClick={() => void after(ask("POST /api/subjects/{id}/export", { params, body: { also } }), onAsked)}>
          Export everything
        </Button>
        <Button onClick={() => setErasing(true)}>Erase …</Button>
      </div>
      <Table
        columns={["Recording", "Erasing", "On hold", ""]}
        rows={rows}
        failure={failure}
        none="They are in no recording of this library."
      />
      {isErasing && (
        <Erase
          who={first}
          count={recordings.length}
          held={held}
          onClose={() => setErasing(false)}
          onErase={(deletes) => {
            setErasing(false);
            void after(ask("POST /api/subjects/{id}/erase", { params, body: { also, deletes } }), onAsked);
          }}
        />
      )}
      {holding !== null && (
        <Hold
          onClose={() => setHolding(null)}
          onHold={(reason) => {
            setHolding(null);
            void after(
              ask("POST /api/recordings/{id}/holds", { params: { id: holding }, body: { reason } }),
              onChanged,
            );
          }}
        />
      )}
    </section>
  );
}

function Erase(props: {
  readonly who: string;
  readonly count: number;
  readonly held: number;
  readonly onClose: () => void;
  readonly onErase: (deletes: boolean) => void;
}) {
  const { who, count, held, onClose, onErase } = props;
  const [deletes, setDeletes] = useState(false);
  const [typed, setTyped] = useState("");
  return (
    <Dialog title="Erase a person" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onErase(deletes);
        }}
      >
        <p>
          {count} recordings are looked at{held > 0 && `, ${held} of them stay, as they are on hold`}. What is deleted
          does not come back.
        </p>
        <p>
          <label>
            <input type="checkbox" checked={deletes} onChange={(event) => setDeletes(event.currentTarget.checked)} />{" "}
            delete also recordings in which names cannot be replaced
          </label>
        </p>
        <p>
          <label>
            Type <b>{who}</b> to go on{" "}
            <input className="field" value={typed} onChange={(event) => setTyped(event.currentTarget.value)} />
          </label>
        </p>
        <div className="form-line">
          <Button type="submit" kind="main" disabled={typed !== who}>
            Erase
          </Button>
          <Button onClick={onClose}>Change nothing</Button>
        </div>
      </form>
    </Dialog>
  );
}

function Hold({ onClose, onHold }: { readonly onClose: () => void; readonly onHold: (reason: string) => void }) {
  const [reason, setReason] = useState("");
  return (
    <Dialog title="Put a recording on hold" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onHold(reason.trim());
        }}
      >
        <label>
          Why is it kept?{" "}
          <input className="field" required value={reason} onChange={(event) => setReason(event.currentTarget.value)} />
        </label>
        <div className="form-line">
          <Button type="submit" kind="main" disabled={reason.trim() === ""}>
            Hold
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
