import type { AskedOf, Shapes } from "simtape-client";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { momentText } from "../dates.ts";
import { useMe } from "../me.tsx";
import type { Role } from "../shapes.ts";
import { ResetPassword } from "./reset-password.tsx";
import { Table } from "./table.tsx";
import { useList } from "./use-list.ts";

type User = Shapes["User"];
type Changes = NonNullable<AskedOf<"PATCH /api/users/{id}">["body"]>;
type NewUser = AskedOf<"POST /api/users">["body"];

const ROLES: readonly Role[] = ["recorder", "viewer", "player", "staff", "admin"];

/** The accounts. */
export function People() {
  const me = useMe();
  const { list, failure, change } = useList("GET /api/users");
  const [resetting, setResetting] = useState<User | null>(null);
  const set = (user: User, body: Changes): void =>
    void change("PATCH /api/users/{id}", { params: { id: user.id }, body });
  const rows = list?.users.map((user) => ({
    key: user.id,
    cells: [
      <b key="name">{user.name}</b>,
      <select
        key="role"
        className="field"
        aria-label={`Role of ${user.name}`}
        value={user.role}
        onChange={(event) => set(user, { role: event.currentTarget.value as Role })}
      >
        {ROLES.map((role) => (
          <option key={role}>{role}</option>
        ))}
      </select>,
      <Identities key="identities" user={user} onChange={(identities) => set(user, { identities })} />,
      user.isForeign ? "OpenID Connect" : "password",
      momentText(user.made),
      user.id === me.id ? (
        "you"
      ) : (
        <span key="buttons" className="form-line">
          <Button onClick={() => set(user, { disabled: !user.disabled })}>
            {user.disabled ? "Let in again" : "Disable"}
          </Button>
          {!user.isForeign && (
            <Button label={`New password for ${user.name}`} onClick={() => setResetting(user)}>
              New password …
            </Button>
          )}
        </span>
      ),
    ],
  }));
  return (
    <>
      {resetting !== null && (
        <ResetPassword
          name={resetting.name}
          onReset={() => change("POST /api/users/{id}/password", { params: { id: resetting.id } })}
          onClose={() => setResetting(null)}
        />
      )}
      <NewAccount onMake={(body) => change("POST /api/users", { body })} />
      <Table
        columns={["Name", "Role", "Named in recordings as", "Signs in by", "Since", ""]}
        rows={rows ?? null}
        failure={failure}
        none="There are no accounts: all who reach this server may do everything."
      />
    </>
  );
}

/** Ids by which recordings name a user, as a player's UUID. */
function Identities({ user, onChange }: { readonly user: User; readonly onChange: (ids: readonly string[]) => void }) {
  const [draft, setDraft] = useState<string | null>(null);
  if (draft === null)
    return (
      <button type="button" className="button button-bare" onClick={() => setDraft(user.identities.join(" "))}>
        {user.identities.length === 0 ? "add …" : user.identities.join(", ")}
      </button>
    );
  return (
    <form
      className="form-line"
      onSubmit={(event) => {
        event.preventDefault();
        onChange(draft.split(/[\s,]+/).filter((id) => id !== ""));
        setDraft(null);
      }}
    >
      <input
        className="field"
        aria-label={`Ids of ${user.name}`}
        value={draft}
        onChange={(event) => setDraft(event.currentTarget.value)}
      />
      <Button type="submit">Keep</Button>
    </form>
  );
}

function NewAccount({ onMake }: { readonly onMake: (user: NewUser) => Promise<unknown> }) {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  return (
    <form
      className="reviews-head"
      onSubmit={(event) => {
        event.preventDefault();
        void onMake({ name: name.trim(), role, password }).then((made) => {
          if (made === undefined) return;
          setName("");
          setPassword("");
        });
      }}
    >
      <label>
        New account{" "}
        <input className="field" required value={name} onChange={(event) => setName(event.currentTarget.value)} />
      </label>
      <label>
        password{" "}
        <input
          className="field"
          type="password"
          autoComplete="new-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
      </label>
      <label>
        role{" "}
        <select className="field" value={role} onChange={(event) => setRole(event.currentTarget.value as Role)}>
          {ROLES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <Button type="submit" kind="main" disabled={name.trim() === "" || password === ""}>
        Make it
      </Button>
    </form>
  );
}
