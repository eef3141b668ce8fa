import type { Role } from "../src/database/tables.ts";
import type { Scope } from "../src/people/person.ts";

/** What is else to say of who may ask. */
interface More {
  /** What a token may be for instead. */
  readonly or?: Scope;
  /** The least role of a session, where that is another than that of a token. */
  readonly session?: Role;
  /**
   * The least role that reaches what is of others, by an id in the path, the query or the body; absent: all who may ask.
   * `no one`: not even administrators.
   */
  readonly others?: Role | "no one";
  /** The sender chooses the id: one that another has is refused as taken. */
  readonly isChosen?: true;
}

/** Who may ask at all: the least role (null: all who reach the server), and what a token must be for. */
export type Right = readonly [role: Role | null, scope?: Scope, more?: More];

const STAFF: More = { others: "staff" };
const OWN: More = { others: "no one" };
const RECORDER: More = { session: "staff", others: "staff" };
const CHOSEN: More = { ...RECORDER, isChosen: true };

/**
 * Every route of /openapi.json with who may ask. The test of it fails for a route that has no row here, so that rights are
 * thought of before there is a route. What may be seen of an answer is each part's own test.
 */
export const RIGHTS: Readonly<Record<string, Right>> = {
  "GET /health": [null],
  "GET /ready": [null],
  "GET /metrics": ["admin", "read"],
  "GET /api/overview": ["staff", "read"],

  "GET /api/jobs": ["staff", "read"],
  "GET /api/jobs/{id}": ["viewer", "read", STAFF],
  "POST /api/jobs/{id}/cancel": ["staff", "write"],
  "POST /api/jobs/{id}/retry": ["staff", "write"],
  "GET /api/jobs/{id}/files/{name}": ["viewer", "read", STAFF],
  "POST /api/recordings/{id}/check": ["staff", "write"],
  "POST /api/recordings/{id}/exports": ["viewer", "write", STAFF],
  "POST /api/recordings/{id}/renders": ["viewer", "write", STAFF],
  "POST /api/recordings/{id}/stats": ["viewer", "write", STAFF],
  "POST /api/recordings/{id}/compare": ["viewer", "write", STAFF],
  "GET /api/recordings/{id}/analyses": ["viewer", "read", STAFF],
  "GET /api/recordings/{id}/analyses/{analysis}": ["viewer", "read", STAFF],

  "GET /api/recordings": ["viewer", "read", STAFF],
  "GET /api/facets": ["viewer", "read", STAFF],
  "GET /api/recordings/{id}": ["viewer", "read", STAFF],
  "GET /api/recordings/{id}/data": ["viewer", "read", STAFF],
  "HEAD /api/recordings/{id}/data": ["viewer", "read", STAFF],
  "GET /api/recordings/{id}/files/{name}": ["viewer", "read", STAFF],
  "HEAD /api/recordings/{id}/files/{name}": ["viewer", "read", STAFF],
  "GET /api/recordings/{id}/world/{key}": ["viewer", "read", STAFF],
  "HEAD /api/recordings/{id}/world/{key}": ["viewer", "read", STAFF],
  "GET /api/recordings/{id}/thumbnail": ["viewer", "read", STAFF],
  "DELETE /api/recordings/{id}": ["staff", "write"],
  "PUT /api/recordings/{id}/companions/{name}": ["viewer", "write", STAFF],
  "DELETE /api/recordings/{id}/companions/{name}": ["viewer", "write", STAFF],
  "PUT /api/recordings/{id}/tags": ["viewer", "write", STAFF],
  "PUT /api/recordings/{id}/collection": ["staff", "write"],
  "GET /api/collections": ["staff", "read"],
  "POST /api/collections": ["admin", "write"],
  "PATCH /api/collections/{id}": ["admin", "write"],
  "DELETE /api/collections/{id}": ["admin", "write"],
  "GET /api/searches": ["viewer", "read"],
  "POST /api/searches": ["viewer", "write"],
  "PATCH /api/searches/{id}": ["viewer", "write", OWN],
  "DELETE /api/searches/{id}": ["viewer", "write", OWN],
  "GET /api/alerts": ["viewer", "read"],
  "PATCH /api/alerts/{id}": ["viewer", "write", OWN],
  "POST /api/alerts/read": ["viewer", "write"],
  "GET /api/recordings/{id}/events": ["viewer", "read", STAFF],
  "GET /api/recordings/{id}/series": ["viewer", "read", STAFF],
  "GET /api/recordings/{id}/state": ["viewer", "read", STAFF],
  "GET /api/recordings/{id}/when": ["viewer", "read", STAFF],
  "GET /api/recordings/{id}/export": ["viewer", "read", STAFF],
  "GET /api/recordings/{id}/export/targets": ["viewer", "read", STAFF],

  "POST /api/sql": ["staff", "read"],
  "POST /api/sql/tables": ["staff", "read"],

  "GET /api/live/{id}": ["recorder", "live", CHOSEN],
  "POST /api/live/{id}": ["recorder", "live", CHOSEN],
  "GET /api/live/{id}/files": ["recorder", "live", RECORDER],
  "GET /api/live/{id}/files/{name}": ["recorder", "live", RECORDER],
  "HEAD /api/live/{id}/files/{name}": ["recorder", "live", RECORDER],
  "PUT /api/live/{id}/files/{name}": ["recorder", "live", CHOSEN],
  "DELETE /api/live/{id}/files/{name}": ["recorder", "live", RECORDER],
  "GET /api/recordings/{id}/socket": ["viewer", "read", STAFF],

  "POST /api/uploads": ["staff", "write"],
  "GET /api/uploads/{id}": ["staff", "write", OWN],
  "HEAD /api/uploads/{id}": ["staff", "write", OWN],
  "PATCH /api/uploads/{id}": ["staff", "write", OWN],
  "DELETE /api/uploads/{id}": ["staff", "write", OWN],

  "GET /api/rooms": ["viewer", "read"],
  "POST /api/rooms": ["viewer", "write", STAFF],
  "GET /api/rooms/{id}": ["viewer", "read", STAFF],
  "DELETE /api/rooms/{id}": ["viewer", "write", STAFF],
  "GET /api/rooms/{id}/socket": ["viewer", "read", STAFF],
  "GET /api/recordings/{id}/notes": ["viewer", "read", STAFF],

  "GET /api/programs": ["staff", "read"],
  "GET /api/outlets": ["staff", "read"],
  "POST /api/outlets/{name}/load": ["staff", "write"],
  "POST /api/outlets/{name}/control": ["staff", "write"],
  "POST /api/outlets/{name}/unload": ["staff", "write"],

  "GET /api/me": ["recorder", "read"],
  "PUT /api/me/password": ["recorder", "admin"],
  "GET /api/session": [null],
  "POST /api/session": [null],
  "DELETE /api/session": [null],
  "GET /api/session/oidc": [null],
  "GET /api/session/callback": [null],
  "GET /api/users": ["admin", "admin"],
  "POST /api/users": ["admin", "admin"],
  "PATCH /api/users/{id}": ["admin", "admin"],
  "POST /api/users/{id}/password": ["admin", "admin"],
  "GET /api/tokens": ["recorder", "admin"],
  "POST /api/tokens": ["recorder", "admin", { others: "admin" }],
  "DELETE /api/tokens/{id}": ["recorder", "admin", { others: "admin" }],
  "GET /api/audit": ["staff", "read"],
  "GET /api/audit.csv": ["staff", "read"],

  "GET /api/reports": ["viewer", "read"],
  "POST /api/reports": ["recorder", "write", { or: "report:trusted", others: "staff" }],
  "GET /api/reports/{id}": ["viewer", "read", OWN],
  "GET /api/reviews": ["staff", "read"],
  "GET /api/reviews/{id}": ["staff", "read"],
  "POST /api/reviews/{id}/assign": ["staff", "write"],
  "POST /api/reviews/{id}/marks": ["staff", "write"],
  "DELETE /api/reviews/{id}/marks/{mark}": ["staff", "write"],
  "POST /api/reviews/{id}/verdict": ["staff", "write"],
  "GET /api/recordings/{id}/holds": ["staff", "read"],
  "POST /api/recordings/{id}/holds": ["staff", "write"],
  "DELETE /api/recordings/{id}/holds/{hold}": ["staff", "write"],
  "GET /api/holds": ["staff", "read"],
  "GET /api/retention/policy": ["staff", "read"],
  "GET /api/retention/plan": ["staff", "read"],
  "POST /api/retention/plan": ["staff", "write"],
  "GET /api/retention/plans/{id}": ["staff", "read"],
  "POST /api/retention/run": ["admin", "admin"],
  "GET /ghosts": ["viewer", "read", STAFF],
  "GET /api/ghosts": ["viewer", "read", STAFF],
  "GET /api/ghosts/{id}/track": ["viewer", "read", STAFF],
  "POST /api/subjects/{id}/find": ["admin", "admin"],
  "GET /api/subjects/requests": ["admin", "admin"],
  "POST /api/subjects/{id}/export": ["admin", "admin"],
  "POST /api/subjects/{id}/erase": ["admin", "admin"],
  "GET /api/subjects/requests/{request}": ["admin", "admin"],
  "POST /api/subjects/requests/{request}/retry": ["admin", "admin"],
  "DELETE /api/subjects/requests/{request}": ["admin", "admin"],
  "GET /api/subjects/requests/{request}/certificate": ["admin", "admin"],
  "GET /api/subjects/requests/{request}/certificate.txt": ["admin", "admin"],
  "GET /api/subjects/requests/{request}/data": ["admin", "admin"],

  "GET /api/shares": ["viewer", "read", STAFF],
  "POST /api/shares": ["viewer", "write", STAFF],
  "DELETE /api/shares/{id}": ["viewer", "write", STAFF],
  "GET /api/shares/{secret}": [null],
  "GET /api/shares/{secret}/files/{name}": [null],
  "HEAD /api/shares/{secret}/files/{name}": [null],
};

/**
 * Routes by which a recording is read, and whether a line of the log says so. `false`: what a list shows of each
 * recording, and the world below it, which is that of others, too.
 */
export const READS: Readonly<Record<string, boolean>> = {
  "GET /api/recordings/{id}": false,
  "GET /api/recordings/{id}/analyses": false,
  "GET /api/recordings/{id}/analyses/{analysis}": true,
  "GET /api/recordings/{id}/data": true,
  "GET /api/recordings/{id}/events": true,
  "GET /api/recordings/{id}/series": true,
  "GET /api/recordings/{id}/state": true,
  "GET /api/recordings/{id}/when": true,
  "GET /api/recordings/{id}/export": true,
  "GET /api/recordings/{id}/export/targets": true,
  "GET /api/recordings/{id}/files/{name}": true,
  "GET /api/recordings/{id}/world/{key}": false,
  "GET /api/recordings/{id}/thumbnail": false,
  "GET /api/recordings/{id}/notes": false,
  "GET /api/recordings/{id}/holds": false,
  "GET /api/recordings/{id}/socket": false,
};
