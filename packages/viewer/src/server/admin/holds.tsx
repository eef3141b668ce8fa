import { Button } from "../../ui/button.tsx";
import { at } from "../api.ts";
import { momentText } from "../dates.ts";
import { Link } from "../route.tsx";
import { Table } from "./table.tsx";
import { useList } from "./use-list.ts";

/** What neither retention nor erasure touches. A recording is put on hold by a report, or where its subject is found. */
export function Holds() {
  const { list, failure, change } = useList("GET /api/holds");
  const rows = list?.holds.map(({ id, recording, name, reason, review, made }) => ({
    key: id,
    cells: [
      <Link key="recording" href={at(`r/${recording}`)}>
        {name}
      </Link>,
      reason,
      review === null ? "by hand" : "a review",
      momentText(made),
      <Button
        key="end"
        label={`End the hold of ${name}`}
        onClick={() => void change("DELETE /api/recordings/{id}/holds/{hold}", { params: { id: recording, hold: id } })}
      >
        End
      </Button>,
    ],
  }));
  return (
    <Table
      columns={["Recording", "Why", "For", "Since", ""]}
      rows={rows ?? null}
      failure={failure}
      none="Nothing is on hold."
    />
  );
}
