/** Made by `npm run client` of what the server says at `/openapi.json`. */

/** RFC 9457; some have further members */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** what is wrong, and what to do */
  readonly detail: string;
  /** id in the log of the server */
  readonly request: string;
  readonly [name: string]: unknown;
}

/** What the server calls Job. */
export interface Job {
  readonly id: number;
  readonly kind: string;
  /** what it is about: the id of a recording */
  readonly subject: string;
  readonly state: "waiting" | "running" | "done" | "failed" | "cancelled";
  /** how often it was begun */
  readonly attempts: number;
  /** 0 to 1 */
  readonly progress: number;
  readonly error: string | null;
  readonly result: unknown;
  readonly made: string;
  readonly due: string;
  readonly ended: string | null;
}

/** What the server calls Recording. */
export interface Recording {
  readonly id: string;
  readonly name: string;
  /** where its main file lies in the library */
  readonly key: string;
  /** new, indexed, failed or live */
  readonly state: string;
  readonly error: string | null;
  readonly format: string | null;
  readonly bytes: number;
  /** wall clock of t = 0 */
  readonly started: string | null;
  readonly seconds: number | null;
  readonly summary: string;
  /** how many */
  readonly findings: number;
  readonly owner: string | null;
  readonly collection: string | null;
  readonly tags: readonly string[];
  readonly added: string;
  /** another one has the same content */
  readonly duplicate: boolean;
  /** URL of a picture of it, once it is indexed */
  readonly thumbnail: string;
  /** of its main file, its other files beside it */
  readonly url: string;
  readonly page: string;
}

/** What the server calls RecordingDetails. */
export interface RecordingDetails {
  readonly id: string;
  readonly name: string;
  /** where its main file lies in the library */
  readonly key: string;
  /** new, indexed, failed or live */
  readonly state: string;
  readonly error: string | null;
  readonly format: string | null;
  readonly bytes: number;
  /** wall clock of t = 0 */
  readonly started: string | null;
  readonly seconds: number | null;
  readonly summary: string;
  /** how many */
  readonly findings: number;
  readonly owner: string | null;
  readonly collection: string | null;
  readonly tags: readonly string[];
  readonly added: string;
  /** another one has the same content */
  readonly duplicate: boolean;
  /** URL of a picture of it, once it is indexed */
  readonly thumbnail: string;
  /** of its main file, its other files beside it */
  readonly url: string;
  readonly page: string;
  readonly files: readonly {
    readonly name: string;
    readonly bytes: number;
    readonly etag: string;
  }[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly channels: readonly {
    readonly name: string;
    /** messages */
    readonly count: number;
  }[];
  /** of all files, as sha256 */
  readonly digest: string | null;
  readonly first: number | null;
  readonly last: number | null;
  readonly findingList: readonly {
    readonly code: string;
    readonly severity: string;
    readonly message: string;
    readonly count: number;
  }[];
  /** things and persons in it */
  readonly entities: readonly {
    readonly set: string;
    readonly name: string;
    readonly label: string;
    readonly kind: string | null;
  }[];
  readonly events: readonly {
    readonly kind: string;
    readonly title: string;
    readonly count: number;
  }[];
  /** the least and the most of its numbers */
  readonly extents: readonly {
    readonly path: string;
    readonly unit: string | null;
    readonly least: number;
    readonly most: number;
  }[];
  readonly duplicates: readonly {
    readonly id: string;
    readonly name: string;
  }[];
}

/** What the server calls RecordingPage. */
export interface RecordingPage {
  readonly recordings: readonly Recording[];
  /** for the next page; null: this is the last */
  readonly cursor: string | null;
}

/** What the server calls Events. */
export interface Events {
  readonly events: readonly {
    /** nanoseconds since the start */
    readonly time: number;
    readonly kind: string;
    readonly text: string;
    readonly who: readonly {
      readonly set: string | null;
      readonly id: number | string;
      readonly label: string;
    }[];
    readonly channel: string | null;
    readonly sequence: number | null;
    readonly value: unknown;
  }[];
  /** for the next page; null: this is the last */
  readonly cursor: string | null;
  /** what is damaged in the recording, as far as it was read */
  readonly findings: readonly {
    readonly code: string;
    readonly severity: string;
    readonly message: string;
    readonly offset: number | null;
  }[];
}

/** What the server calls Series. */
export interface Series {
  readonly series: readonly {
    readonly path: string;
    readonly unit: string | null;
    /** number, integer, boolean or text */
    readonly kind: string;
    readonly interpolation: string;
    /** nanoseconds since the start, ascending */
    readonly time: readonly number[];
    /** one for each time; null where it is not there */
    readonly value: readonly (number | string | null)[];
  }[];
  /** what is damaged in the recording, as far as it was read */
  readonly findings: readonly {
    readonly code: string;
    readonly severity: string;
    readonly message: string;
    readonly offset: number | null;
  }[];
}

/** What the server calls State. */
export interface State {
  /** nanoseconds since the start */
  readonly time: number;
  readonly values: Readonly<Record<string, unknown>>;
  readonly sets: Readonly<
    Record<
      string,
      {
        readonly ids: readonly (number | string)[];
        readonly columns: Readonly<
          Record<
            string,
            {
              readonly unit: string | null;
              readonly width: number;
              readonly data: readonly unknown[];
            }
          >
        >;
        readonly axes?: unknown;
      }
    >
  >;
  /** what is damaged in the recording, as far as it was read */
  readonly findings: readonly {
    readonly code: string;
    readonly severity: string;
    readonly message: string;
    readonly offset: number | null;
  }[];
}

/** What the server calls Collection. */
export interface Collection {
  readonly id: string;
  readonly name: string;
  readonly public: string;
  /** recordings in it */
  readonly count: number;
}

/** What the server calls SavedSearch. */
export interface SavedSearch {
  readonly id: string;
  readonly name: string;
  readonly query: string;
}

/** What the server calls Me. */
export interface Me {
  readonly id: string;
  readonly name: string;
  /** recorder, viewer, player, staff or admin */
  readonly role: string;
  readonly identities: readonly string[];
  readonly scopes: readonly string[];
  /** open: the server is open to all who reach it; session; token */
  readonly via: string;
}

/** What the server calls User. */
export interface User {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly identities: readonly string[];
  readonly disabled: boolean;
  readonly hasPassword: boolean;
  /** signs in by OpenID Connect */
  readonly isForeign: boolean;
  readonly made: string;
}

/** What the server calls Token. */
export interface Token {
  readonly id: string;
  readonly name: string;
  /** id of the user as whom it acts */
  readonly owner: string;
  readonly scopes: readonly string[];
  readonly expires: string | null;
  /** about when it was used last */
  readonly used: string | null;
  readonly made: string;
}

/** What the server calls AuditLine. */
export interface AuditLine {
  readonly id: number;
  readonly at: string;
  /** id of the user; null: was not signed in */
  readonly who: string | null;
  /** of the user, as it is now */
  readonly name: string | null;
  readonly role: string;
  readonly action: string;
  readonly recording: string | null;
  /** id, as in the log */
  readonly request: string | null;
  readonly address: string | null;
  readonly details: unknown;
}

/** What the server calls Share. */
export interface Share {
  readonly id: string;
  readonly recording: string | null;
  readonly owner: string;
  readonly first: number | null;
  readonly last: number | null;
  /** making, ready or failed */
  readonly state: string;
  readonly error: string | null;
  readonly expires: string;
  readonly made: string;
}

/** What the server calls SharedRecording. */
export interface SharedRecording {
  readonly name: string;
  readonly format: string | null;
  readonly summary: string;
  readonly first: number | null;
  readonly last: number | null;
  /** making: ask again soon; ready; failed */
  readonly state: string;
  readonly expires: string;
  /** of its main file, its other files beside it */
  readonly url: string | null;
  readonly files: readonly {
    readonly name: string;
    readonly bytes: number;
  }[];
}

/** What the server calls Upload. */
export interface Upload {
  readonly id: string;
  readonly bytes: number;
  readonly received: number;
  readonly state: "receiving" | "placing" | "placed";
  /** where it lies in the library, once it is placed */
  readonly key: string | null;
}

/** What the server calls Room. */
export interface Room {
  readonly id: string;
  readonly name: string;
  readonly recordings: readonly string[];
  readonly page: string;
  /** path of its WebSocket */
  readonly socket: string;
  readonly mine: boolean;
}

/** What the server calls Note. */
export interface Note {
  readonly id: string;
  readonly recording: string;
  readonly author: string;
  /** seconds */
  readonly time: number;
  readonly thing: string | null;
  readonly text: string;
  readonly made: string;
}

/** What the server calls Report. */
export interface Report {
  readonly id: string;
  readonly recording: string | null;
  readonly subject: string;
  readonly text: string;
  readonly state: string;
  readonly made: string;
  readonly closed: string | null;
}

/** What the server calls Review. */
export interface Review {
  readonly id: string;
  readonly recording: string | null;
  readonly name: string | null;
  readonly subject: string;
  readonly reporter: string | null;
  readonly text: string;
  readonly first: number | null;
  readonly last: number | null;
  readonly score: number;
  readonly flags: readonly string[];
  /** open, assigned or closed */
  readonly state: string;
  readonly assignee: string | null;
  readonly verdict: string | null;
  readonly remark: string | null;
  readonly judge: string | null;
  readonly clip: string | null;
  readonly clipError: string | null;
  readonly written: string | null;
  readonly writtenError: string | null;
  readonly made: string;
  readonly closed: string | null;
  readonly page: string | null;
  readonly clipPage: string | null;
  readonly marks: readonly {
    readonly id: string;
    readonly author: string | null;
    readonly time: number;
    readonly thing: string | null;
    readonly label: string;
    readonly severity: number;
    readonly made: string;
  }[];
  readonly holds: readonly {
    readonly id: string;
    readonly recording: string;
    readonly reason: string;
  }[];
}

/** Every route, with what it takes and what it answers. */
export interface Routes {
  /** the process runs. For all. */
  readonly "GET /health": {
    readonly answer: {
      readonly status: string;
    };
  };
  /** database and bus are reached. For all. */
  readonly "GET /ready": {
    readonly answer: {
      readonly status: string;
    };
  };
  /** counts and times, as Prometheus reads them. For the role admin; a token needs the scope read. */
  readonly "GET /metrics": {
    readonly answer: Response;
  };
  /** what the server does now. For the role staff; a token needs the scope read. */
  readonly "GET /api/overview": {
    readonly answer: {
      /** by state */
      readonly recordings: Readonly<Record<string, number>>;
      /** of all recordings that are there */
      readonly bytes: number;
      /** recordings that are being made */
      readonly live: number;
      readonly rooms: number;
      /** who are in rooms by way of this node */
      readonly viewers: number;
      /** by state */
      readonly jobs: Readonly<Record<string, number>>;
      /** since when the job waits that is due first */
      readonly oldest: string | null;
      /** reports without a verdict */
      readonly reviews: number;
      readonly disks: readonly {
        /** data, recordings */
        readonly what: string;
        /** bytes */
        readonly free: number;
        /** of the whole disk */
        readonly bytes: number;
      }[];
      /** bytes of this node */
      readonly memory: number;
      /** since this node was started */
      readonly seconds: number;
    };
  };
  /** what is done, newest first. For the role staff; a token needs the scope read. */
  readonly "GET /api/jobs": {
    readonly query?: {
      readonly state?: "waiting" | "running" | "done" | "failed" | "cancelled";
      readonly kind?: string;
      readonly limit?: number;
      /** only jobs with a lower id: the next page */
      readonly before?: number;
    };

    readonly answer: {
      readonly jobs: readonly Job[];
    };
  };
  /** how far a job is, and what came of it. For the role viewer; a token needs the scope read. */
  readonly "GET /api/jobs/{id}": {
    readonly params: {
      readonly id: number;
    };

    readonly answer: Job;
  };
  /** stop a job, or do not begin it. For the role staff; a token needs the scope write. */
  readonly "POST /api/jobs/{id}/cancel": {
    readonly params: {
      readonly id: number;
    };

    readonly body?: RequestInit["body"];
    readonly answer: Job;
  };
  /** do a job again that has failed or was cancelled. For the role staff; a token needs the scope write. */
  readonly "POST /api/jobs/{id}/retry": {
    readonly params: {
      readonly id: number;
    };

    readonly body?: RequestInit["body"];
    readonly answer: Job;
  };
  /** a file that an export made, for a day. For the role viewer; a token needs the scope read. */
  readonly "GET /api/jobs/{id}/files/{name}": {
    readonly params: {
      readonly id: number;
      readonly name: string;
    };

    readonly answer: Response;
  };
  /** read all of it, as a job, and say what is wrong. For the role staff; a token needs the scope write. */
  readonly "POST /api/recordings/{id}/check": {
    readonly params: {
      readonly id: string;
    };

    readonly body?: RequestInit["body"];
    readonly answer: {
      /** see /api/jobs/{id} */
      readonly id: number;
    };
  };
  /** make it in another format, or as a table, as a job. For the role viewer; a token needs the scope write. */
  readonly "POST /api/recordings/{id}/exports": {
    readonly params: {
      readonly id: string;
    };

    readonly body:
      | {
          /** id of a format that is written */
          readonly format: string;
        }
      | {
          readonly table: "csv" | "ndjson" | "parquet";
        };
    readonly answer: {
      /** see /api/jobs/{id} */
      readonly id: number;
    };
  };
  /** search the library. For the role viewer; a token needs the scope read. */
  readonly "GET /api/recordings": {
    readonly query?: {
      /** words, "several", -without, altitude > 3000 ft */
      readonly q?: string;
      readonly format?: string | readonly string[];
      readonly state?: string | readonly string[];
      /** began then or later */
      readonly from?: string;
      /** began before */
      readonly until?: string;
      /** a kind of event that it has */
      readonly event?: string;
      /** who or what is in it: label or id */
      readonly with?: string;
      /** seconds */
      readonly longer?: number;
      /** seconds */
      readonly shorter?: number;
      /** a number in it: altitude, vehicles/7/position.x */
      readonly path?: string;
      /** path is at some time above: 3,000 ft */
      readonly above?: string;
      /** path is at some time below */
      readonly below?: string;
      readonly meta?: string | readonly string[];
      /** something is wrong with it, or nothing */
      readonly findings?: boolean;
      readonly tag?: string | readonly string[];
      /** id or name */
      readonly collection?: string;
      readonly owner?: string;
      /** SHA-256 of the recording or of one of its files */
      readonly digest?: string;
      /** where it lies in the library */
      readonly key?: string;
      /** another one has the same content */
      readonly duplicates?: boolean;
      readonly sort?: "added" | "started" | "seconds" | "name" | "bytes";
      readonly order?: "asc" | "desc";
      readonly limit?: number;
      readonly cursor?: string;
    };

    readonly answer: RecordingPage;
  };
  /** all that is known of a recording. For the role viewer; a token needs the scope read. */
  readonly "GET /api/recordings/{id}": {
    readonly params: {
      readonly id: string;
    };

    readonly answer: RecordingDetails;
  };
  /** the main file, by ranges. For the role viewer; a token needs the scope read. */
  readonly "GET /api/recordings/{id}/data": {
    readonly params: {
      readonly id: string;
    };

    readonly answer: Response;
  };
  /** a file of a recording, by ranges. For the role viewer; a token needs the scope read. */
  readonly "GET /api/recordings/{id}/files/{name}": {
    readonly params: {
      readonly id: string;
      readonly name: string;
    };

    readonly answer: Response;
  };
  /** a picture, as SVG. For the role viewer; a token needs the scope read. */
  readonly "GET /api/recordings/{id}/thumbnail": {
    readonly params: {
      readonly id: string;
    };

    readonly answer: Response;
  };
  /** a part of the world that it was made in. For the role viewer; a token needs the scope read. */
  readonly "GET /api/recordings/{id}/world/{key}": {
    readonly params: {
      readonly id: string;
      /** a key of the store, as worlds/ID/chunks/SHA256 */
      readonly key: string;
    };

    readonly answer: Response | null;
  };
  /** what happened in it, page by page. For the role viewer; a token needs the scope read. */
  readonly "GET /api/recordings/{id}/events": {
    readonly params: {
      readonly id: string;
    };
    readonly query?: {
      readonly kind?: string | readonly string[];
      readonly who?: string;
      /** 12.5 (seconds), 1m30s, 50%, t1200, 2026-02-01T12:00:00Z */
      readonly from?: string;
      /** 12.5 (seconds), 1m30s, 50%, t1200, 2026-02-01T12:00:00Z */
      readonly until?: string;
      readonly limit?: number;
      readonly cursor?: string;
    };

    readonly answer: Events;
  };
  /** numbers and texts over time. For the role viewer; a token needs the scope read. */
  readonly "GET /api/recordings/{id}/series": {
    readonly params: {
      readonly id: string;
    };
    readonly query: {
      readonly path: string | readonly string[];
      /** 12.5 (seconds), 1m30s, 50%, t1200, 2026-02-01T12:00:00Z */
      readonly from?: string;
      /** 12.5 (seconds), 1m30s, 50%, t1200, 2026-02-01T12:00:00Z */
      readonly until?: string;
      /** steps of the range */
      readonly points?: number;
      /** of each step first, least, most and last, or what held as it began */
      readonly mode?: "minmax" | "sample";
    };

    readonly answer: Series;
  };
  /** what holds at a time. For the role viewer; a token needs the scope read. */
  readonly "GET /api/recordings/{id}/state": {
    readonly params: {
      readonly id: string;
    };
    readonly query: {
      /** 12.5 (seconds), 1m30s, 50%, t1200, 2026-02-01T12:00:00Z */
      readonly at: string;
      /** globs: vehicles/* */
      readonly path?: string | readonly string[];
    };

    readonly answer: State;
  };
  /** how many recordings have which format, state, event, tag and collection. For the role viewer; a token needs the scope read. */
  readonly "GET /api/facets": {
    readonly query?: {
      /** words, "several", -without, altitude > 3000 ft */
      readonly q?: string;
      readonly format?: string | readonly string[];
      readonly state?: string | readonly string[];
      /** began then or later */
      readonly from?: string;
      /** began before */
      readonly until?: string;
      /** a kind of event that it has */
      readonly event?: string;
      /** who or what is in it: label or id */
      readonly with?: string;
      /** seconds */
      readonly longer?: number;
      /** seconds */
      readonly shorter?: number;
      /** a number in it: altitude, vehicles/7/position.x */
      readonly path?: string;
      /** path is at some time above: 3,000 ft */
      readonly above?: string;
      /** path is at some time below */
      readonly below?: string;
      readonly meta?: string | readonly string[];
      /** something is wrong with it, or nothing */
      readonly findings?: boolean;
      readonly tag?: string | readonly string[];
      /** id or name */
      readonly collection?: string;
      readonly owner?: string;
      /** SHA-256 of the recording or of one of its files */
      readonly digest?: string;
      /** where it lies in the library */
      readonly key?: string;
      /** another one has the same content */
      readonly duplicates?: boolean;
    };

    readonly answer: {
      readonly total: number;
      /** false: there are more; this is of the newest that were found */
      readonly whole: boolean;
      readonly formats: readonly {
        readonly value: string;
        readonly title: string;
        readonly count: number;
      }[];
      readonly states: readonly {
        readonly value: string;
        readonly title: string;
        readonly count: number;
      }[];
      readonly events: readonly {
        readonly value: string;
        readonly title: string;
        readonly count: number;
      }[];
      readonly tags: readonly {
        readonly value: string;
        readonly title: string;
        readonly count: number;
      }[];
      readonly collections: readonly {
        readonly value: string;
        readonly title: string;
        readonly count: number;
      }[];
    };
  };
  /** all its tags, in place of those that it has. For the role viewer; a token needs the scope write. */
  readonly "PUT /api/recordings/{id}/tags": {
    readonly params: {
      readonly id: string;
    };

    readonly body: {
      /** words by which it is found again */
      readonly tags: readonly string[];
    };
    readonly answer: {
      /** words by which it is found again */
      readonly tags: readonly string[];
    };
  };
  /** all collections. For the role staff; a token needs the scope read. */
  readonly "GET /api/collections": {
    readonly answer: {
      readonly collections: readonly Collection[];
    };
  };
  /** a new collection. For the role admin; a token needs the scope write. */
  readonly "POST /api/collections": {
    readonly body: {
      readonly name: string;
      /** who may read what is in it: staff; also those whose it is; all */
      readonly public: "off" | "own" | "all";
    };
    readonly answer: Collection;
  };
  /** another name, or others who may read. For the role admin; a token needs the scope write. */
  readonly "PATCH /api/collections/{id}": {
    readonly params: {
      readonly id: string;
    };

    readonly body: {
      readonly name?: string;
      /** who may read what is in it: staff; also those whose it is; all */
      readonly public?: "off" | "own" | "all";
    };
    readonly answer: Collection;
  };
  /** take an empty collection away. For the role admin; a token needs the scope write. */
  readonly "DELETE /api/collections/{id}": {
    readonly params: {
      readonly id: string;
    };

    readonly answer: null;
  };
  /** put it into a collection, or into none. For the role staff; a token needs the scope write. */
  readonly "PUT /api/recordings/{id}/collection": {
    readonly params: {
      readonly id: string;
    };

    readonly body: {
      /** id; null: none */
      readonly collection: string | null;
    };
    readonly answer: {
      /** id; null: none */
      readonly collection: string | null;
    };
  };
  /** one's own saved searches. For the role viewer; a token needs the scope read. */
  readonly "GET /api/searches": {
    readonly answer: {
      readonly searches: readonly SavedSearch[];
    };
  };
  /** save a search; one of the same name is replaced. For the role viewer; a token needs the scope write. */
  readonly "POST /api/searches": {
    readonly body: {
      readonly name: string;
      /** as in the address: q=race&format=hcrp */
      readonly query: string;
    };
    readonly answer: SavedSearch;
  };
  /** forget a search. For the role viewer; a token needs the scope write. */
  readonly "DELETE /api/searches/{id}": {
    readonly params: {
      readonly id: string;
    };

    readonly answer: null;
  };
  /** who asks. For the role recorder; a token needs the scope read. */
  readonly "GET /api/me": {
    readonly answer: Me;
  };
  /** how one can sign in here. For all. */
  readonly "GET /api/session": {
    readonly answer: {
      readonly password: boolean;
      readonly oidc: boolean;
    };
  };
  /** sign in by name and password. For all. */
  readonly "POST /api/session": {
    readonly body: {
      readonly name: string;
      readonly password: string;
    };
    readonly answer: Me;
  };
  /** sign out. For all. */
  readonly "DELETE /api/session": {
    readonly query?: {
      /** all sessions of this person */
      readonly everywhere?: boolean;
    };

    readonly answer: null;
  };
  /** a new password for oneself. For the role recorder; a token needs the scope admin. */
  readonly "PUT /api/me/password": {
    readonly body: {
      readonly old: string;
      readonly new: string;
    };
    readonly answer: null;
  };
  /** sign in by OpenID Connect: leads to its issuer. For all. */
  readonly "GET /api/session/oidc": {
    readonly query?: {
      /** path to go to when signed in */
      readonly to?: string;
    };

    readonly answer: null;
  };
  /** back from the issuer of OpenID Connect. For all. */
  readonly "GET /api/session/callback": {
    readonly answer: null;
  };
  /** all accounts. For the role admin; a token needs the scope admin. */
  readonly "GET /api/users": {
    readonly answer: {
      readonly users: readonly User[];
    };
  };
  /** a new account. For the role admin; a token needs the scope admin. */
  readonly "POST /api/users": {
    readonly body: {
      readonly name: string;
      readonly role: "recorder" | "viewer" | "player" | "staff" | "admin";
      readonly password?: string;
      /** ids by which recordings name this user: a player's UUID */
      readonly identities?: readonly string[];
    };
    readonly answer: {
      readonly id: string;
    };
  };
  /** a new password for an account that has lost its own, shown once; its sessions end. For the role admin; a token needs the scope admin. */
  readonly "POST /api/users/{id}/password": {
    readonly params: {
      readonly id: string;
    };

    readonly body?: RequestInit["body"];
    readonly answer: {
      /** not kept: it is shown this once */
      readonly password: string;
    };
  };
  /** change the role, identities or password of an account, disable it. For the role admin; a token needs the scope admin. */
  readonly "PATCH /api/users/{id}": {
    readonly params: {
      readonly id: string;
    };

    readonly body: {
      readonly role?: "recorder" | "viewer" | "player" | "staff" | "admin";
      readonly disabled?: boolean;
      /** ids by which recordings name this user: a player's UUID */
      readonly identities?: readonly string[];
      readonly password?: string | null;
    };
    readonly answer: null;
  };
  /** one's tokens. For the role recorder; a token needs the scope admin. */
  readonly "GET /api/tokens": {
    readonly query?: {
      /** of all users, for administrators */
      readonly all?: boolean;
    };

    readonly answer: {
      readonly tokens: readonly Token[];
    };
  };
  /** a new token. For the role recorder; a token needs the scope admin. */
  readonly "POST /api/tokens": {
    readonly body: {
      /** what it is for */
      readonly name: string;
      /** what it may be used for */
      readonly scopes: readonly ("read" | "write" | "live" | "admin")[];
      /** until it expires; absent: never */
      readonly days?: number;
      /** id of another user, by administrators */
      readonly user?: string;
    };
    readonly answer: {
      readonly id: string;
      /** shown this once */
      readonly token: string;
    };
  };
  /** revoke a token. For the role recorder; a token needs the scope admin. */
  readonly "DELETE /api/tokens/{id}": {
    readonly params: {
      readonly id: string;
    };

    readonly answer: null;
  };
  /** search who did what. For the role staff; a token needs the scope read. */
  readonly "GET /api/audit": {
    readonly query?: {
      /** id or name of a user */
      readonly who?: string;
      /** id or name of a person whom it was done to, or who did it: also failed sign-ins and requests to erase */
      readonly about?: string;
      readonly recording?: string;
      /** as read, sign-in failed, user changed */
      readonly action?: string;
      readonly from?: string;
      readonly until?: string;
      readonly limit?: number;
      readonly cursor?: string;
    };

    readonly answer: {
      readonly lines: readonly AuditLine[];
      /** for the next page; null: this is the last */
      readonly cursor: string | null;
    };
  };
  /** all lines that fit, as a table. For the role staff; a token needs the scope read. */
  readonly "GET /api/audit.csv": {
    readonly query?: {
      /** id or name of a user */
      readonly who?: string;
      /** id or name of a person whom it was done to, or who did it: also failed sign-ins and requests to erase */
      readonly about?: string;
      readonly recording?: string;
      /** as read, sign-in failed, user changed */
      readonly action?: string;
      readonly from?: string;
      readonly until?: string;
    };

    readonly answer: Response;
  };
  /** a link to a recording, a range or a moment of it. For the role viewer; a token needs the scope write. */
  readonly "POST /api/shares": {
    readonly body: {
      readonly recording: string;
      /** seconds; null: its beginning */
      readonly first?: number | null;
      /** seconds; null: its end */
      readonly last?: number | null;
      readonly moment?: number;
      /** until it expires */
      readonly hours?: number;
    };
    readonly answer: {
      readonly id: string;
      /** shown this once */
      readonly secret: string;
      /** the link to give */
      readonly page: string;
    };
  };
  /** links that one has made; staff: all. For the role viewer; a token needs the scope read. */
  readonly "GET /api/shares": {
    readonly query?: {
      readonly recording?: string;
    };

    readonly answer: {
      readonly shares: readonly Share[];
    };
  };
  /** take a link back. For the role viewer; a token needs the scope write. */
  readonly "DELETE /api/shares/{id}": {
    readonly params: {
      readonly id: string;
    };

    readonly answer: null;
  };
  /** what a link shows. For all. */
  readonly "GET /api/shares/{secret}": {
    readonly params: {
      readonly secret: string;
    };

    readonly answer: SharedRecording;
  };
  /** a file of what a link shows, by ranges. For all. */
  readonly "GET /api/shares/{secret}/files/{name}": {
    readonly params: {
      readonly secret: string;
      readonly name: string;
    };

    readonly answer: Response;
  };
  /** record what a simulator sends as lines of JSON (docs/line-protocol.md). For the role recorder; a token needs the scope live. */
  readonly "POST /api/live/{id}": {
    readonly params: {
      /** chosen by the sender */
      readonly id: string;
    };
    readonly query?: {
      /** bad lines are skipped and counted */
      readonly lenient?: boolean;
    };
    readonly body?: RequestInit["body"];
    readonly answer: {
      readonly recording: string;
      readonly page: string;
      /** open: it goes on when the sender comes again */
      readonly outcome: string;
      readonly seconds: number;
      /** all before this survives every crash */
      readonly committedSeconds: number;
      readonly bytes: number;
      readonly lines: number;
      readonly skipped: number;
      readonly dropped: Readonly<Record<string, number>>;
    };
  };
  /** files of a recorder elsewhere. For the role recorder; a token needs the scope live. */
  readonly "GET /api/live/{id}/files": {
    readonly params: {
      /** chosen by the sender */
      readonly id: string;
    };
    readonly query?: {
      readonly prefix?: string;
      readonly after?: string;
    };

    readonly answer: {
      readonly entries: readonly {
        readonly key: string;
        readonly size: number;
        readonly etag: string | null;
        readonly modified: unknown;
      }[];
      /** for `after` of the next page */
      readonly next: string | null;
    };
  };
  /** a file of a recorder elsewhere, with conditions. For the role recorder; a token needs the scope live. */
  readonly "GET /api/live/{id}/files/{name}": {
    readonly params: {
      /** chosen by the sender */
      readonly id: string;
      readonly name: string;
    };

    readonly answer: Response;
  };
  /** a file of a recorder elsewhere, with conditions. For the role recorder; a token needs the scope live. */
  readonly "PUT /api/live/{id}/files/{name}": {
    readonly params: {
      /** chosen by the sender */
      readonly id: string;
      readonly name: string;
    };

    readonly body?: RequestInit["body"];
    readonly answer: Response;
  };
  /** a file of a recorder elsewhere, with conditions. For the role recorder; a token needs the scope live. */
  readonly "DELETE /api/live/{id}/files/{name}": {
    readonly params: {
      /** chosen by the sender */
      readonly id: string;
      readonly name: string;
    };

    readonly answer: Response;
  };
  /** begin an upload (tus); its metadata: filename, batch. For the role staff; a token needs the scope write. */
  readonly "POST /api/uploads": {
    readonly body?: RequestInit["body"];
    readonly answer: null;
  };
  /** how far it is; HEAD: how much of it has come (tus). For the role staff; a token needs the scope write. */
  readonly "GET /api/uploads/{id}": {
    readonly params: {
      readonly id: string;
    };

    readonly answer: Upload;
  };
  /** give it up (tus). For the role staff; a token needs the scope write. */
  readonly "DELETE /api/uploads/{id}": {
    readonly params: {
      readonly id: string;
    };

    readonly answer: null;
  };
  /** add to it (tus). For the role staff; a token needs the scope write. */
  readonly "PATCH /api/uploads/{id}": {
    readonly params: {
      readonly id: string;
    };

    readonly body?: RequestInit["body"];
    readonly answer: null;
  };
  /** open a room over recordings. For the role viewer; a token needs the scope write. */
  readonly "POST /api/rooms": {
    readonly body: {
      readonly name: string;
      readonly recordings: readonly string[];
    };
    readonly answer: Room;
  };
  /** rooms that one may enter. For the role viewer; a token needs the scope read. */
  readonly "GET /api/rooms": {
    readonly answer: {
      readonly rooms: readonly Room[];
    };
  };
  /** a room. For the role viewer; a token needs the scope read. */
  readonly "GET /api/rooms/{id}": {
    readonly params: {
      readonly id: string;
    };

    readonly answer: Room;
  };
  /** end a room: who opened it, or staff. For the role viewer; a token needs the scope write. */
  readonly "DELETE /api/rooms/{id}": {
    readonly params: {
      readonly id: string;
    };

    readonly answer: null;
  };
  /** notes that were made about a recording, by time. For the role viewer; a token needs the scope read. */
  readonly "GET /api/recordings/{id}/notes": {
    readonly params: {
      readonly id: string;
    };

    readonly answer: {
      readonly notes: readonly Note[];
    };
  };
  /** report a subject of a recording. For the role recorder; a token needs the scope write. */
  readonly "POST /api/reports": {
    readonly body: {
      readonly recording: string;
      /** who is reported: a name or UUID */
      readonly subject: string;
      readonly text?: string;
      readonly first?: number;
      /** absent: the last five minutes */
      readonly last?: number;
      /** how sure a detector is */
      readonly score?: number;
      readonly flags?: readonly string[];
      /** staff and programs: for whom */
      readonly reporter?: string;
    };
    readonly answer: {
      readonly id: string;
    };
  };
  /** one's own reports. For the role viewer; a token needs the scope read. */
  readonly "GET /api/reports": {
    readonly answer: {
      readonly reports: readonly Report[];
    };
  };
  /** one's own report. For the role viewer; a token needs the scope read. */
  readonly "GET /api/reports/{id}": {
    readonly params: {
      readonly id: string;
    };

    readonly answer: Report;
  };
  /** the queue: surest first, then oldest. For the role staff; a token needs the scope read. */
  readonly "GET /api/reviews": {
    readonly query?: {
      /** pending: open or assigned */
      readonly state?: "open" | "assigned" | "closed" | "pending";
      /** id, or me */
      readonly assignee?: string;
      readonly subject?: string;
      readonly recording?: string;
      readonly sort?: "score" | "age" | "newest";
      readonly limit?: number;
      readonly cursor?: string;
    };

    readonly answer: {
      readonly reviews: readonly {
        readonly id: string;
        readonly recording: string | null;
        readonly name: string | null;
        readonly subject: string;
        readonly reporter: string | null;
        readonly text: string;
        readonly first: number | null;
        readonly last: number | null;
        readonly score: number;
        readonly flags: readonly string[];
        /** open, assigned or closed */
        readonly state: string;
        readonly assignee: string | null;
        readonly verdict: string | null;
        readonly remark: string | null;
        readonly judge: string | null;
        readonly clip: string | null;
        readonly clipError: string | null;
        readonly written: string | null;
        readonly writtenError: string | null;
        readonly made: string;
        readonly closed: string | null;
        readonly page: string | null;
        readonly clipPage: string | null;
      }[];
      readonly cursor: string | null;
    };
  };
  /** a review with its marks. For the role staff; a token needs the scope read. */
  readonly "GET /api/reviews/{id}": {
    readonly params: {
      readonly id: string;
    };

    readonly answer: Review;
  };
  /** take a review, give it to another, or give it back. For the role staff; a token needs the scope write. */
  readonly "POST /api/reviews/{id}/assign": {
    readonly params: {
      readonly id: string;
    };

    readonly body: {
      /** absent: oneself */
      readonly assignee?: string | null;
      /** who has it now, to take it over; absent: it is taken only when it is free */
      readonly from?: string | null;
    };
    readonly answer: Review;
  };
  /** a mark at a time and a thing. For the role staff; a token needs the scope write. */
  readonly "POST /api/reviews/{id}/marks": {
    readonly params: {
      readonly id: string;
    };

    readonly body: {
      /** seconds, in the recording that was reported */
      readonly time: number;
      readonly thing?: string | null;
      readonly label: string;
      readonly severity?: number;
    };
    readonly answer: {
      readonly id: string;
    };
  };
  /** take a mark away. For the role staff; a token needs the scope write. */
  readonly "DELETE /api/reviews/{id}/marks/{mark}": {
    readonly params: {
      readonly id: string;
      readonly mark: string;
    };

    readonly answer: null;
  };
  /** close a review; the verdict goes into the recording. For the role staff; a token needs the scope write. */
  readonly "POST /api/reviews/{id}/verdict": {
    readonly params: {
      readonly id: string;
    };

    readonly body: {
      readonly verdict: string;
      readonly remark?: string;
      /** whether the recording stays on hold */
      readonly keep?: boolean;
    };
    readonly answer: Review;
  };
  /** the policy that the server was started with. For the role staff; a token needs the scope read. */
  readonly "GET /api/retention/policy": {
    readonly answer: {
      readonly file: string | null;
      /** as docs/retention.md says; null: the server has none */
      readonly policy: unknown;
      /** why it cannot be followed */
      readonly error: string | null;
      /** between runs by the clock; 0: there are none */
      readonly hours: number;
    };
  };
  /** all that is on hold, the newest first. For the role staff; a token needs the scope read. */
  readonly "GET /api/holds": {
    readonly answer: {
      readonly holds: readonly {
        readonly id: string;
        readonly recording: string;
        /** of the recording */
        readonly name: string;
        readonly reason: string;
        readonly review: string | null;
        readonly made: string;
      }[];
    };
  };
  /** what the policy would let go, as it was judged last; one is made when there is none. For the role staff; a token needs the scope read. */
  readonly "GET /api/retention/plan": {
    readonly answer:
      | {
          readonly id: string;
          /** SHA-256 of the policy that it follows */
          readonly policy: string;
          /** making, ready, applying, applied or failed */
          readonly state: string;
          /** what goes, and why; null until it is judged */
          readonly content: unknown;
          readonly error: string | null;
          readonly made: string;
          readonly ended: string | null;
        }
      | {
          readonly id: string;
          /** making or applying */
          readonly state: string;
        };
  };
  /** judge the library by the policy; changes nothing. For the role staff; a token needs the scope write. */
  readonly "POST /api/retention/plan": {
    readonly body?: RequestInit["body"];
    readonly answer: {
      readonly id: string;
      /** making or applying */
      readonly state: string;
    };
  };
  /** one plan, and what came of it. For the role staff; a token needs the scope read. */
  readonly "GET /api/retention/plans/{id}": {
    readonly params: {
      readonly id: string;
    };

    readonly answer: {
      readonly id: string;
      /** SHA-256 of the policy that it follows */
      readonly policy: string;
      /** making, ready, applying, applied or failed */
      readonly state: string;
      /** what goes, and why; null until it is judged */
      readonly content: unknown;
      readonly error: string | null;
      readonly made: string;
      readonly ended: string | null;
    };
  };
  /** mark what goes, and delete what was marked a grace ago. For the role admin; a token needs the scope admin. */
  readonly "POST /api/retention/run": {
    readonly body: {
      /** the plan that was looked at */
      readonly plan: string;
    };
    readonly answer: {
      readonly id: string;
      /** making or applying */
      readonly state: string;
    };
  };
  /** why a recording is kept. For the role staff; a token needs the scope read. */
  readonly "GET /api/recordings/{id}/holds": {
    readonly params: {
      readonly id: string;
    };

    readonly answer: {
      readonly holds: readonly {
        readonly id: string;
        readonly reason: string;
        readonly review: string | null;
        readonly made: string;
      }[];
    };
  };
  /** keep a recording, whatever the policy says. For the role staff; a token needs the scope write. */
  readonly "POST /api/recordings/{id}/holds": {
    readonly params: {
      readonly id: string;
    };

    readonly body: {
      readonly reason: string;
    };
    readonly answer: {
      readonly id: string;
    };
  };
  /** end a hold. For the role staff; a token needs the scope write. */
  readonly "DELETE /api/recordings/{id}/holds/{hold}": {
    readonly params: {
      readonly id: string;
      readonly hold: string;
    };

    readonly answer: null;
  };
  /** the best run of each player on a map, the best first. For the role viewer; a token needs the scope read. */
  readonly "GET /ghosts": {
    readonly query: {
      /** name of the map, or UUID of the world */
      readonly map: string;
      readonly top?: number;
      /** only this player's: name or UUID */
      readonly subject?: string;
      /** the recording that is to race them */
      readonly with?: string;
    };

    readonly answer: {
      readonly ghosts: readonly {
        readonly recording: string;
        readonly rank: number;
        readonly map: string | null;
        readonly world: string | null;
        readonly seconds: number;
        readonly subject: {
          readonly uuid: string;
          readonly name: string;
        };
        readonly digest: string;
        /** of the main file */
        readonly url: string;
        readonly track: string | null;
        /** page on which it races the best, or the recording that was named */
        readonly race: string;
      }[];
    };
  };
  /** the best run of each player on a map, the best first. For the role viewer; a token needs the scope read. */
  readonly "GET /api/ghosts": {
    readonly query: {
      /** name of the map, or UUID of the world */
      readonly map: string;
      readonly top?: number;
      /** only this player's: name or UUID */
      readonly subject?: string;
      /** the recording that is to race them */
      readonly with?: string;
    };

    readonly answer: {
      readonly ghosts: readonly {
        readonly recording: string;
        readonly rank: number;
        readonly map: string | null;
        readonly world: string | null;
        readonly seconds: number;
        readonly subject: {
          readonly uuid: string;
          readonly name: string;
        };
        readonly digest: string;
        /** of the main file */
        readonly url: string;
        readonly track: string | null;
        /** page on which it races the best, or the recording that was named */
        readonly race: string;
      }[];
    };
  };
  /** where a run went: places at a fixed step. For the role viewer; a token needs the scope read. */
  readonly "GET /api/ghosts/{id}/track": {
    readonly params: {
      readonly id: string;
    };

    readonly answer: {
      readonly recording: string;
      readonly seconds: number;
      readonly step: number;
      readonly unit: string;
      readonly [name: string]: unknown;
    };
  };
  /** who a subject is, and in which recordings; changes nothing. For the role admin; a token needs the scope admin. */
  readonly "POST /api/subjects/{id}/find": {
    readonly params: {
      /** name, UUID or account */
      readonly id: string;
    };

    readonly body: {
      /** further names and UUIDs of the same */
      readonly also?: readonly string[];
    };
    readonly answer: {
      readonly names: readonly string[];
      readonly uuids: readonly string[];
      readonly accounts: readonly string[];
      readonly recordings: readonly {
        readonly id: string;
        readonly name: string;
        readonly state: string;
        /** no other is known to be in it: erasing deletes it */
        readonly isOnlyTheirs: boolean;
        readonly holds: readonly {
          readonly id: string;
          readonly reason: string;
        }[];
      }[];
    };
  };
  /** what was asked for, the newest first. For the role admin; a token needs the scope admin. */
  readonly "GET /api/subjects/requests": {
    readonly answer: {
      readonly requests: readonly {
        readonly id: string;
        /** export or erase */
        readonly kind: string;
        /** waiting, done or failed */
        readonly state: string;
        /** what was done with what; null until then */
        readonly report: unknown;
        readonly error: string | null;
        readonly made: string;
        readonly ended: string | null;
        /** of the zip */
        readonly url: string | null;
      }[];
    };
  };
  /** all that is kept of a subject, as a zip. For the role admin; a token needs the scope admin. */
  readonly "POST /api/subjects/{id}/export": {
    readonly params: {
      /** name, UUID or account */
      readonly id: string;
    };

    readonly body: {
      /** further names and UUIDs of the same */
      readonly also?: readonly string[];
    };
    readonly answer: {
      readonly id: string;
      readonly state: string;
      readonly page: string;
    };
  };
  /** erase a subject; what is on hold is kept, and said. For the role admin; a token needs the scope admin. */
  readonly "POST /api/subjects/{id}/erase": {
    readonly params: {
      /** name, UUID or account */
      readonly id: string;
    };

    readonly body: {
      /** further names and UUIDs of the same */
      readonly also?: readonly string[];
      /** delete recordings that cannot be redacted */
      readonly deletes?: boolean;
    };
    readonly answer: {
      readonly id: string;
      readonly state: string;
      readonly page: string;
    };
  };
  /** what became of a request. For the role admin; a token needs the scope admin. */
  readonly "GET /api/subjects/requests/{request}": {
    readonly params: {
      readonly request: string;
    };

    readonly answer: {
      readonly id: string;
      /** export or erase */
      readonly kind: string;
      /** waiting, done or failed */
      readonly state: string;
      /** what was done with what; null until then */
      readonly report: unknown;
      readonly error: string | null;
      readonly made: string;
      readonly ended: string | null;
      /** of the zip */
      readonly url: string | null;
    };
  };
  /** delete an export that was downloaded. For the role admin; a token needs the scope admin. */
  readonly "DELETE /api/subjects/requests/{request}": {
    readonly params: {
      readonly request: string;
    };

    readonly answer: null;
  };
  /** the zip of an export. For the role admin; a token needs the scope admin. */
  readonly "GET /api/subjects/requests/{request}/data": {
    readonly params: {
      readonly request: string;
    };

    readonly answer: Response;
  };
  /** do a request again that has failed. For the role admin; a token needs the scope admin. */
  readonly "POST /api/subjects/requests/{request}/retry": {
    readonly params: {
      readonly request: string;
    };

    readonly body?: RequestInit["body"];
    readonly answer: {
      readonly id: string;
      readonly state: string;
      readonly page: string;
    };
  };
}
