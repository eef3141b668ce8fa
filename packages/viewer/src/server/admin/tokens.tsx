import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { momentText } from "../dates.ts";
import { useMe } from "../me.tsx";
import { hasRole } from "../shapes.ts";
import { Table } from "./table.tsx";
import { useList } from "./use-list.ts";

const SCOPES = [
  ["read", "read"],
  ["write", "change and send"],
  ["live", "record live"],
  ["report:trusted", "report with a score, for others"],
  ["admin", "accounts and tokens"],
] as const;
type Scope = (typeof SCOPES)[number][0];

/** Tokens of recorders and programs. */
export function Tokens() {
  const me = useMe();
  const { list, failure, change } = useList("GET /api/tokens", null, {
    query: hasRole(me, "admin") ? { all: true } : {},
  });
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly Scope[]>(["read"]);
  const [days, setDays] = useState("365");
  const [made, setMade] = useState<string | null>(null);
  const make = async (): Promise<void> => {
    const body = { name: name.trim(), scopes, ...(days === "" ? {} : { days: Number(days) }) };
    const answer = await change("POST /api/tokens", { body });
    if (answer === undefined) return;
    setMade(answer.token);
    setName("");
  };
  const rows = list?.tokens.map(({ id, name: title, owner, scopes: of, expires, used }) => ({
    key: id,
    cells: [
      <b key="name">{title}</b>,
      owner,
      of.join(", "),
      used === null ? "never" : momentText(used),
      expires === null ? "never" : momentText(expires),
      <Button
        key="revoke"
        label={`Revoke ${title}`}
        onClick={() => void change("DELETE /api/tokens/{id}", { params: { id } })}
      >
        Revoke
      </Button>,
    ],
  }));
  return (
    <>
      <form
        className="reviews-head"
        onSubmit={(event) => {
          event.preventDefault();
          void make();
        }}
      >
        <label>
          New token for{" "}
          <input className="field" required value={name} onChange={(event) => setName(event.currentTarget.value)} />
        </label>
        {SCOPES.map(([scope, text]) => (
          <label key={scope}>
            <input
              type="checkbox"
              checked={scopes.includes(scope)}
              onChange={(event) =>
                setScopes(event.currentTarget.checked ? [...scopes, scope] : scopes.filter((one) => one !== scope))
              }
            />{" "}
            {text}
          </label>
        ))}
        <label>
          days{" "}
          <input
            className="field number-field"
            type="number"
            min={1}
            max={3650}
            placeholder="always"
            value={days}
            onChange={(event) => setDays(event.currentTarget.value)}
          />
        </label>
        <Button type="submit" kind="main" disabled={name.trim() === "" || scopes.length === 0}>
          Make it
        </Button>
      </form>
      {made !== null && (
        <p role="status">
          Shown this once:{" "}
          <input
            className="field token-field"
            readOnly
            aria-label="The token"
            value={made}
            onFocus={(event) => event.currentTarget.select()}
          />
        </p>
      )}
      <Table
        columns={["For", "Acts as", "May", "Used", "Until", ""]}
        rows={rows ?? null}
        failure={failure}
        none="There are no tokens."
      />
    </>
  );
}
