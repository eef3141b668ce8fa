import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { at } from "../api.ts";
import { useMe } from "../me.tsx";
import { Link } from "../route.tsx";
import { hasRole } from "../shapes.ts";
import { Table } from "./table.tsx";
import { useList } from "./use-list.ts";

const POLICIES = [
  ["off", "staff"],
  ["own", "staff, and whose it is"],
  ["all", "all who are signed in"],
] as const;
type Policy = (typeof POLICIES)[number][0];

/** Clips of what was reported: the server keeps it as it is. */
const CLIPS = "reports";

/** Collections, and who may read what is in them. */
export function Collections() {
  const isAdmin = hasRole(useMe(), "admin");
  const { list, failure, change } = useList("GET /api/collections");
  const [name, setName] = useState("");
  const rows = list?.collections.map(({ id, name: title, public: policy, count }) => ({
    key: id,
    cells: [
      <Link key="name" href={`${at("")}?collection=${encodeURIComponent(id)}`}>
        {title}
      </Link>,
      count.toLocaleString(),
      <select
        key="policy"
        className="field"
        aria-label={`Who may read ${title}`}
        disabled={!isAdmin || id === CLIPS}
        value={policy}
        onChange={(event) =>
          void change("PATCH /api/collections/{id}", {
            params: { id },
            body: { public: event.currentTarget.value as Policy },
          })
        }
      >
        {POLICIES.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>,
      isAdmin && count === 0 && id !== CLIPS ? (
        <Button
          key="delete"
          label={`Take ${title} away`}
          onClick={() => void change("DELETE /api/collections/{id}", { params: { id } })}
        >
          Take away
        </Button>
      ) : null,
    ],
  }));
  return (
    <>
      {isAdmin && (
        <form
          className="reviews-head"
          onSubmit={(event) => {
            event.preventDefault();
            void change("POST /api/collections", { body: { name: name.trim(), public: "off" } }).then(
              (made) => made !== undefined && setName(""),
            );
          }}
        >
          <label>
            New collection{" "}
            <input className="field" required value={name} onChange={(event) => setName(event.currentTarget.value)} />
          </label>
          <Button type="submit" kind="main" disabled={name.trim() === ""}>
            Make it
          </Button>
        </form>
      )}
      <Table
        columns={["Name", "Recordings", "Who may read them", ""]}
        rows={rows ?? null}
        failure={failure}
        none="There are no collections. What is in none may be read as the server's setting --public says."
      />
    </>
  );
}
