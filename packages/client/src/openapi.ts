// Made by `npm run client` from the server's /openapi.json.

export interface paths {
    readonly "/health": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Check that the process runs
         * @description Answers as long as the process runs, also without the database. Needs no account.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly status: string;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ready": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Check that the server is ready
         * @description Answers 503 while the database cannot be reached, and while the node shuts down. `degraded` means that it answers, but something is slower. Needs no account.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** @description ready; degraded: the server answers, but something is slower */
                            readonly status: string;
                            /** @description what is slower, and why */
                            readonly note?: string;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/metrics": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get metrics
         * @description Gives counters and times in the text format of Prometheus. Needs the role admin; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "text/plain": string;
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/overview": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get an overview of the server
         * @description Counts recordings, jobs, rooms and open reviews, and gives the free space of disks and the memory of this node. Needs the role staff; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** @description by state */
                            readonly recordings: {
                                readonly [key: string]: number;
                            };
                            /** @description size of all recordings */
                            readonly bytes: number;
                            /** @description recordings that are being made */
                            readonly live: number;
                            readonly rooms: number;
                            /** @description viewers in rooms that are connected to this node */
                            readonly viewers: number;
                            /** @description by state */
                            readonly jobs: {
                                readonly [key: string]: number;
                            };
                            /** @description due time of the job that waits longest */
                            readonly oldest: string | null;
                            /** @description reports without a verdict */
                            readonly reviews: number;
                            readonly disks: readonly {
                                /** @description data or recordings */
                                readonly what: string;
                                /** @description bytes */
                                readonly free: number;
                                /** @description size of the disk */
                                readonly bytes: number;
                            }[];
                            /** @description memory of this node, in bytes */
                            readonly memory: number;
                            /** @description seconds since this node was started */
                            readonly seconds: number;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/jobs": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List jobs
         * @description Gives the newest jobs first. `before` leads to the next page. Needs the role staff; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly state?: "waiting" | "running" | "done" | "failed" | "cancelled";
                    readonly kind?: string;
                    readonly limit?: number;
                    /** @description only jobs with a lower id, for the next page */
                    readonly before?: number;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly jobs: readonly components["schemas"]["Job"][];
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/jobs/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a job
         * @description Gives the progress of the job, and its result or error once it has ended. Users see the jobs of recordings that they may read. Needs the role viewer; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: number;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Job"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/jobs/{id}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Cancel a job
         * @description Stops a job that runs, or removes one that waits. Needs the role staff; a token needs the scope write.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: number;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Job"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/jobs/{id}/retry": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Retry a job
         * @description Only a job that failed or was cancelled can be retried. Needs the role staff; a token needs the scope write.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: number;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Job"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/jobs/{id}/files/{name}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Download a file that a job made
         * @description The file can be downloaded for a day. Answers range requests. Needs the role viewer; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: number;
                    readonly name: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description The whole file */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/octet-stream": string;
                    };
                };
                /** @description The requested range */
                readonly 206: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/octet-stream": string;
                    };
                };
                /** @description The file has not changed */
                readonly 304: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/recordings/{id}/check": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Check a recording
         * @description Starts a job that reads the whole recording. Its result lists the findings. Needs the role staff; a token needs the scope write.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Accepted */
                readonly 202: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** @description see /api/jobs/{id} */
                            readonly id: number;
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/recordings/{id}/exports": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Export a recording
         * @description Starts a job that converts the recording to another format (`format`), makes a table of it (`table`), or writes a file for other programs (`to`). The result names the files. Needs the role viewer; a token needs the scope write.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @description id of a format that simtape writes */
                        readonly format: string;
                    } | {
                        readonly table: "csv" | "ndjson" | "parquet";
                        /** @description the things of this set */
                        readonly set?: string;
                        /** @description the messages of this channel */
                        readonly channel?: string;
                        /** @description first time, inclusive */
                        readonly from?: string;
                        /** @description last time, exclusive */
                        readonly until?: string;
                        /**
                         * @description unit of the column of times
                         * @enum {unknown}
                         */
                        readonly time?: "s" | "ns";
                        /** @description of a set: rows at this interval instead of at recorded moments: 50ms */
                        readonly every?: string;
                        /** @description of a set: axes to which positions and rotations are turned, in metres */
                        readonly axes?: "source" | "standard" | "right-y" | "left-z" | "left-y";
                        /** @description where a local plane touches the earth: latitude, longitude, altitude and heading, with commas */
                        readonly origin?: string;
                        /** @description only these columns; position means position.x, position.y and position.z */
                        readonly columns?: readonly string[];
                        /** @description only these things of the set */
                        readonly ids?: readonly string[];
                    } | {
                        /** @description id of a target: csv, parquet, kml, mcap, …; see /api/recordings/{id}/export/targets */
                        readonly to: string;
                        /** @description the things of this set */
                        readonly set?: string;
                        /** @description the messages of this channel */
                        readonly channel?: string;
                        /** @description first time, inclusive */
                        readonly from?: string;
                        /** @description last time, exclusive */
                        readonly until?: string;
                        /**
                         * @description unit of the column of times
                         * @enum {unknown}
                         */
                        readonly time?: "s" | "ns";
                        /** @description of a set: rows at this interval instead of at recorded moments: 50ms */
                        readonly every?: string;
                        /** @description of a set: axes to which positions and rotations are turned, in metres */
                        readonly axes?: "source" | "standard" | "right-y" | "left-z" | "left-y";
                        /** @description where a local plane touches the earth: latitude, longitude, altitude and heading, with commas */
                        readonly origin?: string;
                        /** @description only these columns; position means position.x, position.y and position.z */
                        readonly columns?: readonly string[];
                        /** @description only these things of the set */
                        readonly ids?: readonly string[];
                    };
                };
            };
            readonly responses: {
                /** @description Accepted */
                readonly 202: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** @description see /api/jobs/{id} */
                            readonly id: number;
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/recordings/{id}/export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Download an export of a recording
         * @description Writes a file for other programs and answers with it; a target of several files gives a tar archive. For a recording larger than 32 MiB the answer is 202 with a job, whose result names the files. The same holds while the node makes two other exports, and for an export that takes longer than 30 seconds. Needs the role viewer; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query: {
                    /** @description id of a target: csv, parquet, kml, mcap, …; see /api/recordings/{id}/export/targets */
                    readonly to: string;
                    /** @description the things of this set */
                    readonly set?: string;
                    /** @description the messages of this channel */
                    readonly channel?: string;
                    /** @description first time, inclusive */
                    readonly from?: string;
                    /** @description last time, exclusive */
                    readonly until?: string;
                    /** @description unit of the column of times */
                    readonly time?: "s" | "ns";
                    /** @description of a set: rows at this interval instead of at recorded moments: 50ms */
                    readonly every?: string;
                    /** @description of a set: axes to which positions and rotations are turned, in metres */
                    readonly axes?: "source" | "standard" | "right-y" | "left-z" | "left-y";
                    /** @description where a local plane touches the earth: latitude, longitude, altitude and heading, with commas */
                    readonly origin?: string;
                    /** @description only these columns; position means position.x, position.y and position.z */
                    readonly columns?: string | readonly string[];
                    /** @description only these things of the set */
                    readonly ids?: string | readonly string[];
                };
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description The file */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/octet-stream": string;
                    };
                };
                /** @description A job makes the files */
                readonly 202: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** @description see /api/jobs/{id} */
                            readonly id: number;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/recordings/{id}/renders": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Render a recording
         * @description Starts a job that draws a picture or a video of the recording, with its world. The machine of the server needs Chromium, Chrome or Edge. The result names the file, which `GET /api/jobs/{id}/files/{name}` gives for a day. A node renders one recording at a time. Needs the role viewer; a token needs the scope write.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /**
                         * @description png is a picture of one time, the others are videos
                         * @enum {unknown}
                         */
                        readonly to: "png" | "mp4" | "webm" | "gif";
                        /** @description of a picture: its time */
                        readonly at?: string;
                        /** @description of a video: first time, inclusive */
                        readonly from?: string;
                        /** @description of a video: last time, exclusive */
                        readonly until?: string;
                        /** @description width and height in pixels: 1280x720 */
                        readonly size?: string;
                        /** @description frames a second */
                        readonly fps?: number;
                        /** @description seconds of the recording in a second of the video */
                        readonly rate?: number;
                        /** @enum {unknown} */
                        readonly theme?: "light" | "dark";
                        /** @description false leaves out names, readings, compass and time */
                        readonly overlays?: boolean;
                        /** @description a camera path, as the page makes them */
                        readonly camera?: {
                            /** @enum {number} */
                            readonly version: 1;
                            readonly keyframes: readonly {
                                readonly [key: string]: unknown;
                            }[];
                        };
                    };
                };
            };
            readonly responses: {
                /** @description Accepted */
                readonly 202: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** @description see /api/jobs/{id} */
                            readonly id: number;
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/recordings/{id}/stats": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Count the numbers of a recording
         * @description Starts a job that reads the recording and finds extents, means, quantiles, rates and distances, as `simtape stats` does. Its result names the analysis, which is kept with the recording. Needs the role viewer; a token needs the scope write.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @description first time, inclusive */
                        readonly from?: string;
                        /** @description last time, exclusive */
                        readonly until?: string;
                    };
                };
            };
            readonly responses: {
                /** @description Accepted */
                readonly 202: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** @description see /api/jobs/{id} */
                            readonly id: number;
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/recordings/{id}/compare": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Compare two recordings
         * @description Starts a job that reads this recording (A) and another one (B) side by side and finds where they differ, as `simtape compare` does. Its result says whether they are the same and names the analysis, which is kept with the recordings. Needs the role viewer; a token needs the scope write.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @description id of the recording to compare with */
                        readonly other: string;
                        /** @description start (the default), utc, tick, mark:TEXT, event:KIND or correlate:PATH */
                        readonly align?: string;
                        /**
                         * @description which things are the same
                         * @enum {unknown}
                         */
                        readonly match?: "id" | "name" | "nearest";
                        /** @description how far paths may be apart: vehicles/*.position: 0.01 m */
                        readonly rules?: readonly string[];
                        /** @description seconds between moments that count as one */
                        readonly near?: number;
                        /** @description first time, inclusive */
                        readonly from?: string;
                        /** @description last time, exclusive */
                        readonly until?: string;
                    };
                };
            };
            readonly responses: {
                /** @description Accepted */
                readonly 202: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** @description see /api/jobs/{id} */
                            readonly id: number;
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/recordings/{id}/analyses": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the analyses of a recording
         * @description Gives the statistics and comparisons that jobs have found, the newest first, of the recordings as they are now. A comparison is in the lists of both recordings, for users who may read both. Needs the role viewer; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Analyses"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/recordings/{id}/analyses/{analysis}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get an analysis of a recording
         * @description Gives what a job has found: statistics, or where two recordings differ. Needs the role viewer; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                    readonly analysis: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Analysis"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/recordings": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List recordings
         * @description Searches the library. Filters can be parameters or words in `q`: `format:carla`, `longer than 30 s`, `altitude > 3000 ft`. The answer has one page; `cursor` leads to the next one. Needs the role viewer; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /**
                     * @description words, "several", -without, altitude > 3000 ft, format:carla, longer than 30 s, two vehicles
                     * @example pushback format:flightgear longer than 30 s
                     */
                    readonly q?: string;
                    readonly format?: string | readonly string[];
                    readonly state?: string | readonly string[];
                    /** @description began at this time or later */
                    readonly from?: string;
                    /** @description began before this time */
                    readonly until?: string;
                    /** @description has an event of this kind, or of one of several */
                    readonly event?: string | readonly string[];
                    /** @description a thing or person in the recording, or one of several: label or id */
                    readonly with?: string | readonly string[];
                    /** @description the map that its metadata name, or one of several */
                    readonly map?: string | readonly string[];
                    /** @description seconds, from the first to below the second: 10-60, 3600-; or one of several */
                    readonly length?: string | readonly string[];
                    /** @description began on this day of `zone`, or on one of several: 2026-11-23 */
                    readonly day?: string | readonly string[];
                    /**
                     * @description time zone of `day`; UTC when it is absent
                     * @example Europe/Paris
                     */
                    readonly zone?: string;
                    /** @description seconds */
                    readonly longer?: number;
                    /** @description seconds */
                    readonly shorter?: number;
                    /**
                     * @description a number in the recording: altitude, vehicles/7/position.x
                     * @example altitude
                     */
                    readonly path?: string;
                    /**
                     * @description the number of `path` exceeds this at some time: 3,000 ft
                     * @example 3,000 ft
                     */
                    readonly above?: string;
                    /** @description the number of `path` falls below this at some time */
                    readonly below?: string;
                    readonly meta?: string | readonly string[];
                    /** @description has findings, or none */
                    readonly findings?: boolean;
                    readonly tag?: string | readonly string[];
                    /** @description id or name */
                    readonly collection?: string;
                    readonly owner?: string;
                    /** @description SHA-256 of the recording or of one of its files */
                    readonly digest?: string;
                    /** @description path in the library */
                    readonly key?: string;
                    /** @description another recording has the same content */
                    readonly duplicates?: boolean;
                    readonly sort?: "added" | "started" | "seconds" | "name" | "bytes";
                    readonly order?: "asc" | "desc";
                    readonly limit?: number;
                    readonly cursor?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["RecordingPage"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/recordings/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a recording
         * @description Gives everything that the catalog knows of it: files, companions, metadata, channels, entities, events, ranges of numbers, findings, and recordings with the same content. Needs the role viewer; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["RecordingDetails"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a recording
         * @description Deletes its files, its companions, and all that the catalog knows of it; its links end. A recording on hold, or one that is being recorded, is not deleted (409). After an interruption of the server, a job continues within a minute; a file that has taken the place of the recording meanwhile stays. Needs the role staff; a token needs the scope write.
         */
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description No Content */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/recordings/{id}/data": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read the main file of a recording
         * @description Answers range requests and conditional requests. Without a range it sends the whole file. Needs the role viewer; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description The whole file */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/octet-stream": string;
                    };
                };
                /** @description The requested range */
                readonly 206: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/octet-stream": string;
                    };
                };
                /** @description The file has not changed */
                readonly 304: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/recordings/{id}/files/{name}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a file of a recording
         * @description Reads any file of the recording, its seek index, its provenance file, a companion, or the file beside it that shows its world. Answers range requests. HEAD answers 204 when there is no seek index. Needs the role viewer; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                    readonly name: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description The whole file */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/octet-stream": string;
                    };
                };
                /** @description The requested range */
                readonly 206: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/octet-stream": string;
                    };
                };
                /** @description The file has not changed */
                readonly 304: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/recordings/{id}/thumbnail": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the thumbnail of a recording
         * @description An SVG picture of the recording from above: the paths of its things, where each is at the end. It exists once the recording is indexed. Needs the role viewer; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description the things move along their paths, again and again */
                    readonly moving?: boolean;
                };
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "image/svg+xml": string;
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/recordings/{id}/world/{key}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a part of the world of a recording
         * @description Reads a chunk or an index of the Minecraft world that lies beside the recordings. Answers range requests. Needs the role viewer; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                    /** @description a key of the store: worlds/ID/chunks/SHA256 */
                    readonly key: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description The whole file */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/octet-stream": string;
                    };
                };
                /** @description The library does not have it */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The requested range */
                readonly 206: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/octet-stream": string;
                    };
                };
                /** @description The file has not changed */
                readonly 304: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/recordings/{id}/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the events of a recording
         * @description Gives what happened in the recording, by time, in pages. `Accept: text/csv` gives a table. Needs the role viewer; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly kind?: string | readonly string[];
                    readonly who?: string;
                    /**
                     * @description 12.5 (seconds), 1m30s, 50%, t1200, 2026-02-01T12:00:00Z
                     * @example 12.5
                     */
                    readonly from?: string;
                    /**
                     * @description 12.5 (seconds), 1m30s, 50%, t1200, 2026-02-01T12:00:00Z
                     * @example 12.5
                     */
                    readonly until?: string;
                    readonly limit?: number;
                    readonly cursor?: string;
                };
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Events"];
                    };
                };
                /** @description The answer has not changed */
                readonly 304: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/recordings/{id}/series": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get numbers over time
         * @description Gives the values of paths over time. With `points` fewer than the recording has, each step has one or some values. `Accept: text/csv` gives a table. Needs the role viewer; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query: {
                    readonly path: string | readonly string[];
                    /**
                     * @description 12.5 (seconds), 1m30s, 50%, t1200, 2026-02-01T12:00:00Z
                     * @example 12.5
                     */
                    readonly from?: string;
                    /**
                     * @description 12.5 (seconds), 1m30s, 50%, t1200, 2026-02-01T12:00:00Z
                     * @example 12.5
                     */
                    readonly until?: string;
                    /** @description number of steps in the range */
                    readonly points?: number;
                    /** @description minmax: the first, least, greatest and last value of each step; sample: the value at its start */
                    readonly mode?: "minmax" | "sample";
                };
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Series"];
                    };
                };
                /** @description The answer has not changed */
                readonly 304: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/recordings/{id}/state": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the state at a time
         * @description Gives all values and sets at a time, or those that the globs in `path` match. Needs the role viewer; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query: {
                    /**
                     * @description 12.5 (seconds), 1m30s, 50%, t1200, 2026-02-01T12:00:00Z
                     * @example 12.5
                     */
                    readonly at: string;
                    /** @description globs: vehicles/* */
                    readonly path?: string | readonly string[];
                };
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["State"];
                    };
                };
                /** @description The answer has not changed */
                readonly 304: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/recordings/{id}/when": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Find when an expression is true
         * @description Gives the intervals in which an expression over the paths of the recording is true, how many there are, and how long they are together. An expression that is wrong, or names what the recording does not have, is answered with 400, its `code` and an `excerpt` with carets. Needs the role viewer; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query: {
                    /**
                     * @description an expression over paths: any vehicles (speed > 100 km/h)
                     * @example any vehicles (speed > 100 km/h)
                     */
                    readonly where: string;
                    /**
                     * @description 12.5 (seconds), 1m30s, 50%, t1200, 2026-02-01T12:00:00Z
                     * @example 12.5
                     */
                    readonly from?: string;
                    /**
                     * @description 12.5 (seconds), 1m30s, 50%, t1200, 2026-02-01T12:00:00Z
                     * @example 12.5
                     */
                    readonly until?: string;
                    /** @description most intervals; all are counted */
                    readonly limit?: number;
                };
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["When"];
                    };
                };
                /** @description The answer has not changed */
                readonly 304: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/recordings/{id}/export/targets": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the targets of an export
         * @description Gives the targets of `to` in an export, and what of this recording each can carry. Needs the role viewer; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ExportTargets"];
                    };
                };
                /** @description The answer has not changed */
                readonly 304: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/sql": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Run a statement of SQL over recordings
         * @description Answers one SELECT about the content of recordings. It only reads, and opens only the recordings that have what it names. The tables are those of `simtape sql`; `recordings` also has the columns id, name, state, summary, owner, collection and added, and `recording` is the path in the library. A problem has a `code`, and `at`, `line` and `column` where the statement is wrong. The headers `simtape-rows`, `simtape-truncated` and `simtape-unread` say how many rows an answer has, whether there are more, and how many recordings could not be read. Needs the role staff; a token needs the scope read.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @description one SELECT, in the dialect of DuckDB */
                        readonly sql: string;
                        /** @description ids, or filters as in a list of recordings and a `folder`; by default all recordings */
                        readonly recordings?: readonly string[] | {
                            /**
                             * @description words, "several", -without, altitude > 3000 ft, format:carla, longer than 30 s, two vehicles
                             * @example pushback format:flightgear longer than 30 s
                             */
                            readonly q?: string;
                            readonly format?: string | readonly string[];
                            readonly state?: string | readonly string[];
                            /**
                             * Format: date-time
                             * @description began at this time or later
                             */
                            readonly from?: string;
                            /**
                             * Format: date-time
                             * @description began before this time
                             */
                            readonly until?: string;
                            /** @description has an event of this kind, or of one of several */
                            readonly event?: string | readonly string[];
                            /** @description a thing or person in the recording, or one of several: label or id */
                            readonly with?: string | readonly string[];
                            /** @description the map that its metadata name, or one of several */
                            readonly map?: string | readonly string[];
                            /** @description seconds, from the first to below the second: 10-60, 3600-; or one of several */
                            readonly length?: string | readonly string[];
                            /** @description began on this day of `zone`, or on one of several: 2026-11-23 */
                            readonly day?: string | readonly string[];
                            /**
                             * @description time zone of `day`; UTC when it is absent
                             * @example Europe/Paris
                             */
                            readonly zone?: string;
                            /** @description seconds */
                            readonly longer?: number;
                            /** @description seconds */
                            readonly shorter?: number;
                            /**
                             * @description a number in the recording: altitude, vehicles/7/position.x
                             * @example altitude
                             */
                            readonly path?: string;
                            /**
                             * @description the number of `path` exceeds this at some time: 3,000 ft
                             * @example 3,000 ft
                             */
                            readonly above?: string;
                            /** @description the number of `path` falls below this at some time */
                            readonly below?: string;
                            readonly meta?: string | readonly string[];
                            /** @description has findings, or none */
                            readonly findings?: boolean;
                            readonly tag?: string | readonly string[];
                            /** @description id or name */
                            readonly collection?: string;
                            readonly owner?: string;
                            /** @description SHA-256 of the recording or of one of its files */
                            readonly digest?: string;
                            /** @description path in the library */
                            readonly key?: string;
                            /** @description another recording has the same content */
                            readonly duplicates?: boolean;
                            readonly folder?: string;
                        };
                        /**
                         * @default json
                         * @enum {unknown}
                         */
                        readonly format?: "json" | "csv" | "parquet" | "arrow";
                        /** @description most rows; the settings of the server have a limit, too */
                        readonly limit?: number;
                    };
                };
            };
            readonly responses: {
                /** @description The answer */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["SqlAnswer"];
                        readonly "text/csv": string;
                        readonly "application/vnd.apache.parquet": string;
                        readonly "application/vnd.apache.arrow.file": string;
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/sql/tables": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * List the tables of SQL
         * @description Gives the tables that statements can name, with their columns. It looks at the newest recordings of each format, at most 20, not at all of them. Needs the role staff; a token needs the scope read.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @description ids, or filters as in a list of recordings and a `folder`; by default all recordings */
                        readonly recordings?: readonly string[] | {
                            /**
                             * @description words, "several", -without, altitude > 3000 ft, format:carla, longer than 30 s, two vehicles
                             * @example pushback format:flightgear longer than 30 s
                             */
                            readonly q?: string;
                            readonly format?: string | readonly string[];
                            readonly state?: string | readonly string[];
                            /**
                             * Format: date-time
                             * @description began at this time or later
                             */
                            readonly from?: string;
                            /**
                             * Format: date-time
                             * @description began before this time
                             */
                            readonly until?: string;
                            /** @description has an event of this kind, or of one of several */
                            readonly event?: string | readonly string[];
                            /** @description a thing or person in the recording, or one of several: label or id */
                            readonly with?: string | readonly string[];
                            /** @description the map that its metadata name, or one of several */
                            readonly map?: string | readonly string[];
                            /** @description seconds, from the first to below the second: 10-60, 3600-; or one of several */
                            readonly length?: string | readonly string[];
                            /** @description began on this day of `zone`, or on one of several: 2026-11-23 */
                            readonly day?: string | readonly string[];
                            /**
                             * @description time zone of `day`; UTC when it is absent
                             * @example Europe/Paris
                             */
                            readonly zone?: string;
                            /** @description seconds */
                            readonly longer?: number;
                            /** @description seconds */
                            readonly shorter?: number;
                            /**
                             * @description a number in the recording: altitude, vehicles/7/position.x
                             * @example altitude
                             */
                            readonly path?: string;
                            /**
                             * @description the number of `path` exceeds this at some time: 3,000 ft
                             * @example 3,000 ft
                             */
                            readonly above?: string;
                            /** @description the number of `path` falls below this at some time */
                            readonly below?: string;
                            readonly meta?: string | readonly string[];
                            /** @description has findings, or none */
                            readonly findings?: boolean;
                            readonly tag?: string | readonly string[];
                            /** @description id or name */
                            readonly collection?: string;
                            readonly owner?: string;
                            /** @description SHA-256 of the recording or of one of its files */
                            readonly digest?: string;
                            /** @description path in the library */
                            readonly key?: string;
                            /** @description another recording has the same content */
                            readonly duplicates?: boolean;
                            readonly folder?: string;
                        };
                    };
                };
            };
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["SqlTables"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/facets": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Count recordings by property
         * @description Counts the recordings that a search finds by format, state, kind of event, person, map, length, day, tag and collection. Takes the filters of the search. The values of a property are counted as if none of it was chosen, so that others can be chosen with it; states, tags and collections are counted among what was found. Needs the role viewer; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /**
                     * @description words, "several", -without, altitude > 3000 ft, format:carla, longer than 30 s, two vehicles
                     * @example pushback format:flightgear longer than 30 s
                     */
                    readonly q?: string;
                    readonly format?: string | readonly string[];
                    readonly state?: string | readonly string[];
                    /** @description began at this time or later */
                    readonly from?: string;
                    /** @description began before this time */
                    readonly until?: string;
                    /** @description has an event of this kind, or of one of several */
                    readonly event?: string | readonly string[];
                    /** @description a thing or person in the recording, or one of several: label or id */
                    readonly with?: string | readonly string[];
                    /** @description the map that its metadata name, or one of several */
                    readonly map?: string | readonly string[];
                    /** @description seconds, from the first to below the second: 10-60, 3600-; or one of several */
                    readonly length?: string | readonly string[];
                    /** @description began on this day of `zone`, or on one of several: 2026-11-23 */
                    readonly day?: string | readonly string[];
                    /**
                     * @description time zone of `day`; UTC when it is absent
                     * @example Europe/Paris
                     */
                    readonly zone?: string;
                    /** @description seconds */
                    readonly longer?: number;
                    /** @description seconds */
                    readonly shorter?: number;
                    /**
                     * @description a number in the recording: altitude, vehicles/7/position.x
                     * @example altitude
                     */
                    readonly path?: string;
                    /**
                     * @description the number of `path` exceeds this at some time: 3,000 ft
                     * @example 3,000 ft
                     */
                    readonly above?: string;
                    /** @description the number of `path` falls below this at some time */
                    readonly below?: string;
                    readonly meta?: string | readonly string[];
                    /** @description has findings, or none */
                    readonly findings?: boolean;
                    readonly tag?: string | readonly string[];
                    /** @description id or name */
                    readonly collection?: string;
                    readonly owner?: string;
                    /** @description SHA-256 of the recording or of one of its files */
                    readonly digest?: string;
                    /** @description path in the library */
                    readonly key?: string;
                    /** @description another recording has the same content */
                    readonly duplicates?: boolean;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly total: number;
                            /** @description false: there are more; this is of the newest that were found */
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
                            readonly people: readonly {
                                readonly value: string;
                                readonly title: string;
                                readonly count: number;
                            }[];
                            readonly maps: readonly {
                                readonly value: string;
                                readonly title: string;
                                readonly count: number;
                            }[];
                            /** @description seconds, as the filter `length` takes them */
                            readonly lengths: readonly {
                                readonly value: string;
                                readonly title: string;
                                readonly count: number;
                            }[];
                            /** @description days of `zone`, as the filter `day` takes them; the latest first */
                            readonly days: readonly {
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
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/recordings/{id}/tags": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Replace the tags of a recording
         * @description The list replaces all tags that the recording has. Staff may tag every recording, other users only their own. Needs the role viewer; a token needs the scope write.
         */
        readonly put: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    /**
                     * @example {
                     *       "tags": [
                     *         "night",
                     *         "pushback"
                     *       ]
                     *     }
                     */
                    readonly "application/json": {
                        /** @description words for finding the recording */
                        readonly tags: readonly string[];
                    };
                };
            };
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        /**
                         * @example {
                         *       "tags": [
                         *         "night",
                         *         "pushback"
                         *       ]
                         *     }
                         */
                        readonly "application/json": {
                            /** @description words for finding the recording */
                            readonly tags: readonly string[];
                        };
                    };
                };
            };
        };
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/recordings/{id}/companions/{name}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Add a companion to a recording
         * @description Takes the bytes of a file that shows the world of the recording: a road net, heights, a map, models. It replaces a companion of the same name. A companion has 256 MiB at most, all of a recording 512 MiB, and there are 100 of them. Staff may add companions to every recording, other users only to their own. Needs the role viewer; a token needs the scope write.
         */
        readonly put: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                    /** @description the name of the file: Town01.xodr */
                    readonly name: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly name: string;
                            readonly bytes: number;
                            /** @description SHA-256 of its bytes, in hex; null: an earlier release added the recording */
                            readonly digest: string | null;
                        };
                    };
                };
            };
        };
        readonly post?: never;
        /**
         * Delete a companion of a recording
         * @description Staff may do it for every recording, other users only for their own. Needs the role viewer; a token needs the scope write.
         */
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                    /** @description the name of the file: Town01.xodr */
                    readonly name: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description No Content */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/collections": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List collections
         * @description Each has its number of recordings, and says who may read them. Needs the role staff; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly collections: readonly components["schemas"]["Collection"][];
                        };
                    };
                };
            };
        };
        readonly put?: never;
        /**
         * Create a collection
         * @description A recording is in one collection or in none. The collection decides who may read its recordings. Needs the role admin; a token needs the scope write.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    /**
                     * @example {
                     *       "name": "races",
                     *       "public": "own"
                     *     }
                     */
                    readonly "application/json": {
                        readonly name: string;
                        /** @description who may read its recordings: off: staff; own: also the owner of a recording; all: all users */
                        readonly public: "off" | "own" | "all";
                    };
                };
            };
            readonly responses: {
                /** @description Created */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Collection"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/collections/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a collection
         * @description Only an empty collection can be deleted. Needs the role admin; a token needs the scope write.
         */
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description No Content */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        /**
         * Change a collection
         * @description Changes its name, or who may read its recordings. The collection of clips that the server makes cannot be changed. Needs the role admin; a token needs the scope write.
         */
        readonly patch: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    /**
                     * @example {
                     *       "public": "all"
                     *     }
                     */
                    readonly "application/json": {
                        readonly name?: string;
                        /** @description who may read its recordings: off: staff; own: also the owner of a recording; all: all users */
                        readonly public?: "off" | "own" | "all";
                    };
                };
            };
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Collection"];
                    };
                };
            };
        };
        readonly trace?: never;
    };
    readonly "/api/recordings/{id}/collection": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Set the collection of a recording
         * @description `null` takes the recording out of its collection. Needs the role staff; a token needs the scope write.
         */
        readonly put: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    /**
                     * @example {
                     *       "collection": "06f2x6q8h7nq"
                     *     }
                     */
                    readonly "application/json": {
                        /** @description id; null: none */
                        readonly collection: string | null;
                    };
                };
            };
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        /**
                         * @example {
                         *       "collection": "06f2x6q8h7nq"
                         *     }
                         */
                        readonly "application/json": {
                            /** @description id; null: none */
                            readonly collection: string | null;
                        };
                    };
                };
            };
        };
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/searches": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List saved searches
         * @description Gives the searches that the user saved. Needs the role viewer; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly searches: readonly components["schemas"]["SavedSearch"][];
                        };
                    };
                };
            };
        };
        readonly put?: never;
        /**
         * Save a search
         * @description Keeps filters and an expression under a name, and watches new recordings for them if `watched` says so. Replaces a saved search of the same name. Needs the role viewer; a token needs the scope write.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly name: string;
                        /** @description filters, as the page has them: q=race&format=hcrp */
                        readonly query: string;
                        /** @description only recordings in which this expression is ever true; null: all that the filters find */
                        readonly where?: string | null;
                        /** @description new recordings that fit become alerts */
                        readonly watched?: boolean;
                    };
                };
            };
            readonly responses: {
                /** @description Created */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["SavedSearch"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/searches/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a saved search
         * @description Users delete only searches that they saved. The alerts of the search are deleted, too. Needs the role viewer; a token needs the scope write.
         */
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description No Content */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        /**
         * Change a saved search
         * @description Gives it another name, other filters or another expression, or begins or ends to watch it. The alerts of other filters, or of another expression, are deleted. Needs the role viewer; a token needs the scope write.
         */
        readonly patch: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly name?: string;
                        /** @description filters, as the page has them: q=race&format=hcrp */
                        readonly query?: string;
                        /** @description only recordings in which this expression is ever true; null: all that the filters find */
                        readonly where?: string | null;
                        /** @description new recordings that fit become alerts */
                        readonly watched?: boolean;
                    };
                };
            };
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["SavedSearch"];
                    };
                };
            };
        };
        readonly trace?: never;
    };
    readonly "/api/alerts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List alerts
         * @description Gives the recordings that the user's watched searches have found, the newest first, and how many alerts are unread. Alerts of recordings that the user may no longer read, and of bytes that have changed since, are left out. Needs the role viewer; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description only those that are unread */
                    readonly unread?: boolean;
                    readonly limit?: number;
                    readonly cursor?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly alerts: readonly components["schemas"]["Alert"][];
                            /** @description number of unread alerts, on all pages */
                            readonly unread: number;
                            readonly cursor: string | null;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/alerts/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /**
         * Mark an alert as read
         * @description Marks the alert as read or unread. Needs the role viewer; a token needs the scope write.
         */
        readonly patch: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    /**
                     * @example {
                     *       "isRead": true
                     *     }
                     */
                    readonly "application/json": {
                        readonly isRead: boolean;
                    };
                };
            };
            readonly responses: {
                /** @description No Content */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly trace?: never;
    };
    readonly "/api/alerts/read": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Mark all alerts as read
         * @description Marks all alerts of the user as read. Needs the role viewer; a token needs the scope write.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description No Content */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/me": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the current user
         * @description Gives the account, role and scopes of the request. Needs the role recorder; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Me"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/session": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the ways to sign in
         * @description Says whether users sign in by password, by OpenID Connect, or both. Needs no account.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly password: boolean;
                            readonly oidc: boolean;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        /**
         * Sign in
         * @description Takes name and password. Sets the cookie of the session. Needs no account.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    /**
                     * @example {
                     *       "name": "anna",
                     *       "password": "correct horse battery"
                     *     }
                     */
                    readonly "application/json": {
                        readonly name: string;
                        readonly password: string;
                    };
                };
            };
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Me"];
                    };
                };
            };
        };
        /**
         * Sign out
         * @description Ends the session; with `everywhere`, all sessions of the user. Needs no account.
         */
        readonly delete: {
            readonly parameters: {
                readonly query?: {
                    /** @description end all sessions of this user */
                    readonly everywhere?: boolean;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description No Content */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/me/password": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Change your password
         * @description Takes the old and the new password. All other sessions of the user end. Fails for an account without a password. Needs the role recorder; a token needs the scope admin.
         */
        readonly put: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    /**
                     * @example {
                     *       "old": "correct horse battery",
                     *       "new": "a longer and better one"
                     *     }
                     */
                    readonly "application/json": {
                        readonly old: string;
                        readonly new: string;
                    };
                };
            };
            readonly responses: {
                /** @description No Content */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/session/oidc": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Start signing in by OpenID Connect
         * @description Redirects to the issuer. Needs no account.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description path of the page to show after signing in */
                    readonly to?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Redirect */
                readonly 302: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/session/callback": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Complete signing in by OpenID Connect
         * @description The issuer redirects here. Sets the cookie of the session, and redirects to the page that was asked for. Needs no account.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Redirect */
                readonly 302: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/users": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List accounts
         * @description Gives all accounts with their roles. Needs the role admin; a token needs the scope admin.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly users: readonly components["schemas"]["User"][];
                        };
                    };
                };
            };
        };
        readonly put?: never;
        /**
         * Create an account
         * @description An account without a password can act by tokens only. Needs the role admin; a token needs the scope admin.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    /**
                     * @example {
                     *       "name": "anna",
                     *       "role": "staff",
                     *       "password": "correct horse battery"
                     *     }
                     */
                    readonly "application/json": {
                        readonly name: string;
                        /** @enum {unknown} */
                        readonly role: "recorder" | "viewer" | "player" | "staff" | "admin";
                        readonly password?: string;
                        /** @description ids by which recordings name this user, such as the UUID of a player */
                        readonly identities?: readonly string[];
                    };
                };
            };
            readonly responses: {
                /** @description Created */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly id: string;
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/users/{id}/password": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Reset the password of an account
         * @description Gives a new password, which is shown only once. All sessions of the account end. Needs the role admin; a token needs the scope admin.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** @description shown only once; the server does not keep it */
                            readonly password: string;
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/users/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /**
         * Change an account
         * @description Changes its role, identities or password, or disables it. Disabling an account ends its sessions, tokens and links. Needs the role admin; a token needs the scope admin.
         */
        readonly patch: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @enum {unknown} */
                        readonly role?: "recorder" | "viewer" | "player" | "staff" | "admin";
                        readonly disabled?: boolean;
                        /** @description ids by which recordings name this user, such as the UUID of a player */
                        readonly identities?: readonly string[];
                        readonly password?: string | null;
                    };
                };
            };
            readonly responses: {
                /** @description No Content */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly trace?: never;
    };
    readonly "/api/tokens": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List tokens
         * @description Gives the tokens of the user; with `all`, administrators get the tokens of all users. Needs the role recorder; a token needs the scope admin.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description tokens of all users; administrators only */
                    readonly all?: boolean;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly tokens: readonly components["schemas"]["Token"][];
                        };
                    };
                };
            };
        };
        readonly put?: never;
        /**
         * Create a token
         * @description A program sends the token in the header `authorization: Bearer …`. The answer shows it only once. Needs the role recorder; a token needs the scope admin.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    /**
                     * @example {
                     *       "name": "nightly import",
                     *       "scopes": [
                     *         "read",
                     *         "write"
                     *       ],
                     *       "days": 365
                     *     }
                     */
                    readonly "application/json": {
                        /** @description name for people, such as the program that uses it */
                        readonly name: string;
                        /** @description what the token may do */
                        readonly scopes: readonly ("read" | "write" | "live" | "report:trusted" | "admin")[];
                        /** @description days until it expires; absent: never */
                        readonly days?: number;
                        /** @description id of another user; administrators only */
                        readonly user?: string;
                    };
                };
            };
            readonly responses: {
                /** @description Created */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly id: string;
                            /** @description shown only once */
                            readonly token: string;
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/tokens/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Revoke a token
         * @description The token stops working at once. Administrators may revoke the tokens of all users. Needs the role recorder; a token needs the scope admin.
         */
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description No Content */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/audit": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the audit
         * @description Gives the lines of the audit that match, the newest first: who did what, when, and with which recording. Needs the role staff; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description id or name of a user */
                    readonly who?: string;
                    /** @description id or name of a person whom it was done to, or who did it: also failed sign-ins and requests to erase */
                    readonly about?: string;
                    readonly recording?: string;
                    /** @description such as read, sign-in failed, user changed */
                    readonly action?: string;
                    readonly from?: string;
                    readonly until?: string;
                    readonly limit?: number;
                    readonly cursor?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly lines: readonly components["schemas"]["AuditLine"][];
                            /** @description leads to the next page; null on the last page */
                            readonly cursor: string | null;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/audit.csv": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Download the audit as CSV
         * @description Sends all lines that match, as a table. Needs the role staff; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description id or name of a user */
                    readonly who?: string;
                    /** @description id or name of a person whom it was done to, or who did it: also failed sign-ins and requests to erase */
                    readonly about?: string;
                    readonly recording?: string;
                    /** @description such as read, sign-in failed, user changed */
                    readonly action?: string;
                    readonly from?: string;
                    readonly until?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "text/csv": string;
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/shares": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List links
         * @description Gives the links that the user made; staff get all links. Needs the role viewer; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly recording?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly shares: readonly components["schemas"]["Share"][];
                        };
                    };
                };
            };
        };
        readonly put?: never;
        /**
         * Create a link
         * @description The link shows a recording, a range or a moment of it to all who have it, without an account, until it expires. Needs the role viewer; a token needs the scope write.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    /**
                     * @example {
                     *       "recording": "06f2x6q8h7nq",
                     *       "first": 2,
                     *       "last": 6.5,
                     *       "hours": 24
                     *     }
                     */
                    readonly "application/json": {
                        readonly recording: string;
                        /**
                         * @description seconds; null: from the start
                         * @default null
                         */
                        readonly first?: number | null;
                        /**
                         * @description seconds; null: to the end
                         * @default null
                         */
                        readonly last?: number | null;
                        readonly moment?: number;
                        /**
                         * @description hours until the link expires
                         * @default 168
                         */
                        readonly hours?: number;
                    };
                };
            };
            readonly responses: {
                /** @description Created */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly id: string;
                            /** @description shown only once */
                            readonly secret: string;
                            /** @description path of the page: the link to give away */
                            readonly page: string;
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/shares/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a link
         * @description The link stops working at once. Needs the role viewer; a token needs the scope write.
         */
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description No Content */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/shares/{secret}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get what a link shows
         * @description Gives the name, the range and the address of the files. `making` means that the range is still being cut. Needs no account.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly secret: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["SharedRecording"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/shares/{secret}/files/{name}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a file of a link
         * @description Answers range requests and conditional requests. Needs no account.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly secret: string;
                    readonly name: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description The whole file */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/octet-stream": string;
                    };
                };
                /** @description The requested range */
                readonly 206: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/octet-stream": string;
                    };
                };
                /** @description The file has not changed */
                readonly 304: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/live/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Record live from lines of JSON
         * @description Records what a simulator sends, line by line, while it sends. The answer says what was recorded. The lines are described in docs/line-protocol.md. Needs the role recorder; a token needs the scope live. Without a token, the role staff is needed.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: {
                    /** @description skip bad lines, and count them */
                    readonly lenient?: boolean;
                };
                readonly header?: never;
                readonly path: {
                    /** @description chosen by the sender */
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly recording: string;
                            readonly page: string;
                            /** @description open: the recording continues when the sender connects again */
                            readonly outcome: string;
                            readonly seconds: number;
                            /** @description everything before this time survives every crash */
                            readonly committedSeconds: number;
                            readonly bytes: number;
                            readonly lines: number;
                            readonly skipped: number;
                            readonly dropped: {
                                readonly [key: string]: number;
                            };
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/recordings/{id}/socket": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/live/{id}/files": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the files of a live recording
         * @description For a recorder on another machine: gives names, sizes and etags. `after` leads to the next page. Needs the role recorder; a token needs the scope live. Without a token, the role staff is needed.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly prefix?: string;
                    readonly after?: string;
                };
                readonly header?: never;
                readonly path: {
                    /** @description chosen by the sender */
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly entries: readonly {
                                readonly key: string;
                                readonly size: number;
                                readonly etag: string | null;
                                readonly modified: unknown;
                            }[];
                            /** @description the value of `after` for the next page */
                            readonly next: string | null;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/live/{id}/files/{name}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a file of a live recording
         * @description For a recorder on another machine. Answers range requests and conditional requests; HEAD gives size and etag. Needs the role recorder; a token needs the scope live. Without a token, the role staff is needed.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    /** @description chosen by the sender */
                    readonly id: string;
                    readonly name: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description The whole file */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/octet-stream": string;
                    };
                };
                /** @description The requested range */
                readonly 206: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/octet-stream": string;
                    };
                };
                /** @description The file has not changed */
                readonly 304: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        /**
         * Write a file of a live recording
         * @description For a recorder on another machine. `if-match` and `if-none-match` decide who may write. Needs the role recorder; a token needs the scope live. Without a token, the role staff is needed.
         */
        readonly put: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    /** @description chosen by the sender */
                    readonly id: string;
                    readonly name: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description The whole file */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/octet-stream": string;
                    };
                };
                /** @description The requested range */
                readonly 206: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/octet-stream": string;
                    };
                };
                /** @description The file has not changed */
                readonly 304: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly post?: never;
        /**
         * Delete a file of a live recording
         * @description For a recorder on another machine. `if-match` protects a newer file. Needs the role recorder; a token needs the scope live. Without a token, the role staff is needed.
         */
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    /** @description chosen by the sender */
                    readonly id: string;
                    readonly name: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description The whole file */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/octet-stream": string;
                    };
                };
                /** @description The requested range */
                readonly 206: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/octet-stream": string;
                    };
                };
                /** @description The file has not changed */
                readonly 304: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/uploads": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Start an upload
         * @description Takes the size in `upload-length`, and `filename` and `batch` in `upload-metadata`. Files of one batch lie beside each other, so that a pair is one recording. The header `location` says where to send the bytes. Protocol: tus 1.0.0. Needs the role staff; a token needs the scope write.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Created */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/uploads/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the progress of an upload
         * @description Says how many bytes arrived (`upload-offset`), and where the file is in the library once it is complete. Needs the role staff; a token needs the scope write.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Upload"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        /**
         * Cancel an upload
         * @description Deletes the bytes that arrived. Needs the role staff; a token needs the scope write.
         */
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description No Content */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        /**
         * Send bytes of an upload
         * @description Takes the bytes from `upload-offset` on. When all bytes arrived, a job puts the file into the library and replaces nothing there. Needs the role staff; a token needs the scope write.
         */
        readonly patch: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description No Content */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly trace?: never;
    };
    readonly "/api/rooms": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List rooms
         * @description Gives the rooms whose recordings the user may read. Needs the role viewer; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly rooms: readonly components["schemas"]["Room"][];
                        };
                    };
                };
            };
        };
        readonly put?: never;
        /**
         * Create a room
         * @description Users in a room watch its recordings by one clock. The first recording is played, the others are its ghosts. Needs the role viewer; a token needs the scope write.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    /**
                     * @example {
                     *       "name": "tuesday",
                     *       "recordings": [
                     *         "06f2x6q8h7nq"
                     *       ]
                     *     }
                     */
                    readonly "application/json": {
                        readonly name: string;
                        readonly recordings: readonly string[];
                    };
                };
            };
            readonly responses: {
                /** @description Created */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Room"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/rooms/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a room
         * @description Gives the recordings of the room, its page and the address of its WebSocket. Needs the role viewer; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Room"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a room
         * @description Ends the room for all its users. Only its owner and staff may do so. Needs the role viewer; a token needs the scope write.
         */
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description No Content */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/rooms/{id}/socket": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/recordings/{id}/notes": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the notes of a recording
         * @description Gives the notes that were made in rooms, by their time in the recording. Needs the role viewer; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly notes: readonly components["schemas"]["Note"][];
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/programs": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List recorded programs
         * @description Gives the running programs that this node records (`--from`), and the state of each. Needs the role staff; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly programs: readonly components["schemas"]["RunningProgram"][];
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/outlets": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List outlets
         * @description Gives the outlets of this node (`--into`): where clients of programs connect, how many are connected, and which recording they watch. Needs the role staff; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly outlets: readonly components["schemas"]["Outlet"][];
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/outlets/{name}/load": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Play a recording into an outlet
         * @description All clients of the outlet watch this recording from now on. It plays from the start unless the body says otherwise. The account of the outlets must have the right to read it. Needs the role staff; a token needs the scope write.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly name: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    /**
                     * @example {
                     *       "recording": "06f2x6q8h7nq",
                     *       "repeat": true
                     *     }
                     */
                    readonly "application/json": {
                        /** @description id */
                        readonly recording: string;
                        readonly playing?: boolean;
                        /** @description seconds since the start */
                        readonly at?: number;
                        /** @description not 0; negative plays backwards */
                        readonly rate?: number;
                        /** @description begin again at the end */
                        readonly repeat?: boolean;
                    };
                };
            };
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Outlet"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/outlets/{name}/control": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Control what an outlet plays
         * @description Plays, pauses, seeks and sets rate and repetition, for all clients of the outlet. Needs the role staff; a token needs the scope write.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly name: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly playing?: boolean;
                        /** @description seconds since the start */
                        readonly at?: number;
                        /** @description not 0; negative plays backwards */
                        readonly rate?: number;
                        /** @description begin again at the end */
                        readonly repeat?: boolean;
                    };
                };
            };
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Outlet"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/outlets/{name}/unload": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Unload what an outlet plays
         * @description Its clients stay connected, and watch nothing until a recording is loaded. Needs the role staff; a token needs the scope write.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly name: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Outlet"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/reports": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List your reports
         * @description Gives the reports that the user made, with their state. Needs the role viewer; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly reports: readonly components["schemas"]["Report"][];
                        };
                    };
                };
            };
        };
        readonly put?: never;
        /**
         * Report a subject of a recording
         * @description Opens a review for the staff, and cuts a clip of the range. Programs with the scope `report:trusted` may give a score and name another reporter. Needs the role recorder; a token needs the scope write or report:trusted.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    /**
                     * @example {
                     *       "recording": "06f2x6q8h7nq",
                     *       "subject": "Alex",
                     *       "text": "left the track before the second checkpoint",
                     *       "first": 2,
                     *       "last": 6
                     *     }
                     */
                    readonly "application/json": {
                        readonly recording: string;
                        /** @description name or UUID of the reported thing or person */
                        readonly subject: string;
                        /** @default  */
                        readonly text?: string;
                        readonly first?: number;
                        /** @description seconds; without a range, the last five minutes */
                        readonly last?: number;
                        /** @description how sure a detector is */
                        readonly score?: number;
                        readonly flags?: readonly string[];
                        /** @description staff and programs only: name of the reporter */
                        readonly reporter?: string;
                    };
                };
            };
            readonly responses: {
                /** @description Created */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly id: string;
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/reports/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get one of your reports
         * @description Gives a report that the user made, with its state. Needs the role viewer; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Report"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/reviews": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List reviews
         * @description Gives the queue of the staff: by default those with the highest score first, then the oldest. Needs the role staff; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description pending: open or assigned */
                    readonly state?: "open" | "assigned" | "closed" | "pending";
                    /** @description id of a user, or `me` */
                    readonly assignee?: string;
                    readonly subject?: string;
                    readonly recording?: string;
                    readonly sort?: "score" | "age" | "newest";
                    readonly limit?: number;
                    readonly cursor?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
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
                                /** @enum {unknown} */
                                readonly state: "open" | "assigned" | "closed";
                                readonly assignee: string | null;
                                readonly verdict: string | null;
                                readonly remark: string | null;
                                readonly judge: string | null;
                                readonly clip: string | null;
                                readonly clipError: string | null;
                                readonly clipLost: readonly {
                                    readonly path: string;
                                    readonly count: number;
                                    readonly reason: string;
                                }[];
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
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/reviews/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a review
         * @description Gives the review with its marks and holds. Needs the role staff; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Review"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/reviews/{id}/assign": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Assign a review
         * @description Without `assignee` the user takes it; `null` gives it back. `from` names who has it now, and must be right when it is taken over. Needs the role staff; a token needs the scope write.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @description id of a user; absent: the user who asks; null: no user */
                        readonly assignee?: string | null;
                        /** @description id of the present assignee, to take the review over; absent: assigns only a free review */
                        readonly from?: string | null;
                    };
                };
            };
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Review"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/reviews/{id}/marks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Add a mark to a review
         * @description Marks a time of the recording, and optionally a thing in it. Needs the role staff; a token needs the scope write.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    /**
                     * @example {
                     *       "time": 4.2,
                     *       "thing": "Alex",
                     *       "label": "leaves the track",
                     *       "severity": 3
                     *     }
                     */
                    readonly "application/json": {
                        /** @description seconds from the start of the reported recording */
                        readonly time: number;
                        readonly thing?: string | null;
                        readonly label: string;
                        /** @default 0 */
                        readonly severity?: number;
                    };
                };
            };
            readonly responses: {
                /** @description Created */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly id: string;
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/reviews/{id}/marks/{mark}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a mark of a review
         * @description Removes the mark from the page of the recording. Needs the role staff; a token needs the scope write.
         */
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                    readonly mark: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description No Content */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/reviews/{id}/verdict": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Close a review with a verdict
         * @description Keeps the verdict, and writes it as a note beside the recording. Needs the role staff; a token needs the scope write.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    /**
                     * @example {
                     *       "verdict": "disqualified",
                     *       "remark": "missed a checkpoint",
                     *       "keep": true
                     *     }
                     */
                    readonly "application/json": {
                        readonly verdict: string;
                        /** @default  */
                        readonly remark?: string;
                        /**
                         * @description the recording stays on hold
                         * @default true
                         */
                        readonly keep?: boolean;
                    };
                };
            };
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Review"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/retention/policy": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the retention policy
         * @description Gives the policy file that the server was started with, and says whether it can be followed. Needs the role staff; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly file: string | null;
                            /** @description as docs/retention.md describes; null: the server has none */
                            readonly policy: unknown;
                            /** @description why it cannot be followed */
                            readonly error: string | null;
                            /** @description hours between scheduled runs; 0: there are none */
                            readonly hours: number;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/holds": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List holds
         * @description Gives all holds of the library, the newest first. A recording on hold is neither deleted nor erased. Needs the role staff; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly holds: readonly {
                                readonly id: string;
                                readonly recording: string;
                                /** @description name of the recording */
                                readonly name: string;
                                readonly reason: string;
                                readonly review: string | null;
                                readonly made: string;
                            }[];
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/retention/plan": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the newest retention plan
         * @description Says what the policy would delete, and why. Starts a plan and answers 202 when there is none. Needs the role staff; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly id: string;
                            /** @description SHA-256 of the policy that it follows */
                            readonly policy: string;
                            /** @enum {unknown} */
                            readonly state: "making" | "ready" | "applying" | "applied" | "failed";
                            /** @description what is deleted, and why; null until it is known */
                            readonly content: {
                                /** @description when the library was compared with the policy */
                                readonly judged: string;
                                readonly recordings: number;
                                readonly kept: number;
                                /** @description recordings that are deleted */
                                readonly going: number;
                                readonly bytesGoing: number;
                                readonly warnings: readonly string[];
                                /** @description what is deleted or doubtful, then what is kept; 5,000 rows at most */
                                readonly rows: readonly {
                                    /** @description its id in the catalog */
                                    readonly recording: string | null;
                                    readonly id: string;
                                    readonly class: string | null;
                                    readonly bytes: number;
                                    readonly ended: string;
                                    /** @enum {unknown} */
                                    readonly decision: "keep" | "delete";
                                    readonly reason: string;
                                    /** @description when it was marked for deletion */
                                    readonly marked: string | null;
                                }[];
                            } | null;
                            readonly error: string | null;
                            readonly made: string;
                            readonly ended: string | null;
                        };
                    };
                };
                /** @description Accepted */
                readonly 202: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly id: string;
                            /** @enum {unknown} */
                            readonly state: "making" | "applying";
                        };
                    };
                };
            };
        };
        readonly put?: never;
        /**
         * Start a retention plan
         * @description Compares the library with the policy in a job. Changes no recording. Needs the role staff; a token needs the scope write.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Accepted */
                readonly 202: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly id: string;
                            /** @enum {unknown} */
                            readonly state: "making" | "applying";
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/retention/plans/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a retention plan
         * @description Gives the plan, and its result once it has run. Needs the role staff; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly id: string;
                            /** @description SHA-256 of the policy that it follows */
                            readonly policy: string;
                            /** @enum {unknown} */
                            readonly state: "making" | "ready" | "applying" | "applied" | "failed";
                            /** @description what is deleted, and why; null until it is known */
                            readonly content: {
                                /** @description when the library was compared with the policy */
                                readonly judged: string;
                                readonly recordings: number;
                                readonly kept: number;
                                /** @description recordings that are deleted */
                                readonly going: number;
                                readonly bytesGoing: number;
                                readonly warnings: readonly string[];
                                /** @description what is deleted or doubtful, then what is kept; 5,000 rows at most */
                                readonly rows: readonly {
                                    /** @description its id in the catalog */
                                    readonly recording: string | null;
                                    readonly id: string;
                                    readonly class: string | null;
                                    readonly bytes: number;
                                    readonly ended: string;
                                    /** @enum {unknown} */
                                    readonly decision: "keep" | "delete";
                                    readonly reason: string;
                                    /** @description when it was marked for deletion */
                                    readonly marked: string | null;
                                }[];
                            } | null;
                            readonly error: string | null;
                            readonly made: string;
                            readonly ended: string | null;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/retention/run": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Run a retention plan
         * @description Marks the recordings that are due, and deletes those whose grace period is over. Takes the plan that was looked at, so that nothing else is deleted. Needs the role admin; a token needs the scope admin.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    /**
                     * @example {
                     *       "plan": "06f2x6q8h7nq"
                     *     }
                     */
                    readonly "application/json": {
                        /** @description id of the plan that was looked at */
                        readonly plan: string;
                    };
                };
            };
            readonly responses: {
                /** @description Accepted */
                readonly 202: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly id: string;
                            /** @enum {unknown} */
                            readonly state: "making" | "applying";
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/recordings/{id}/holds": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the holds of a recording
         * @description A recording on hold is neither deleted nor erased. Needs the role staff; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly holds: readonly {
                                readonly id: string;
                                readonly reason: string;
                                readonly review: string | null;
                                readonly made: string;
                            }[];
                        };
                    };
                };
            };
        };
        readonly put?: never;
        /**
         * Put a recording on hold
         * @description The recording is kept, whatever the retention policy says, until the hold is ended. Needs the role staff; a token needs the scope write.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    /**
                     * @example {
                     *       "reason": "evidence in a review"
                     *     }
                     */
                    readonly "application/json": {
                        readonly reason: string;
                    };
                };
            };
            readonly responses: {
                /** @description Created */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly id: string;
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/recordings/{id}/holds/{hold}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a hold
         * @description The retention policy applies to the recording again, unless it has another hold. Needs the role staff; a token needs the scope write.
         */
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                    readonly hold: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description No Content */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ghosts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the best runs of a map
         * @description Gives the best run of each player, the fastest first. The answer has links to pages on which the runs race each other. Needs the role viewer; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query: {
                    /** @description name of the map, or UUID of the world */
                    readonly map: string;
                    readonly top?: number;
                    /** @description only runs of this player: name or UUID */
                    readonly subject?: string;
                    /** @description a recording that races against them */
                    readonly with?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
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
                                /** @description URL of the main file */
                                readonly url: string;
                                readonly track: string | null;
                                /** @description page on which it races against the best run, or against the recording of `with` */
                                readonly race: string;
                            }[];
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/ghosts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the best runs of a map
         * @description Gives the best run of each player, the fastest first. The answer has links to pages on which the runs race each other. Needs the role viewer; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query: {
                    /** @description name of the map, or UUID of the world */
                    readonly map: string;
                    readonly top?: number;
                    /** @description only runs of this player: name or UUID */
                    readonly subject?: string;
                    /** @description a recording that races against them */
                    readonly with?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
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
                                /** @description URL of the main file */
                                readonly url: string;
                                readonly track: string | null;
                                /** @description page on which it races against the best run, or against the recording of `with` */
                                readonly race: string;
                            }[];
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/ghosts/{id}/track": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the track of a run
         * @description Gives the positions of the runner at a fixed time step, as one list for each coordinate. Needs the role viewer; a token needs the scope read.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description further members: a list for each coordinate */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly recording: string;
                            readonly seconds: number;
                            readonly step: number;
                            readonly unit: string;
                        } & {
                            readonly [key: string]: unknown;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/subjects/{id}/find": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Find a subject
         * @description Gives the names, ids and accounts of a person, and the recordings that the person is in. Changes nothing. Needs the role admin; a token needs the scope admin.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    /** @description name, UUID or account of a person */
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    /**
                     * @example {
                     *       "also": [
                     *         "069a79f4-44e9-4726-a5be-fca90e38aaf5"
                     *       ]
                     *     }
                     */
                    readonly "application/json": {
                        /**
                         * @description further names and UUIDs of the same person
                         * @default []
                         */
                        readonly also?: readonly string[];
                    };
                };
            };
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly names: readonly string[];
                            readonly uuids: readonly string[];
                            readonly accounts: readonly string[];
                            readonly recordings: readonly {
                                readonly id: string;
                                readonly name: string;
                                readonly state: string;
                                /** @description only this person is known to be in it: an erasure deletes it */
                                readonly isOnlyTheirs: boolean;
                                readonly holds: readonly {
                                    readonly id: string;
                                    readonly reason: string;
                                }[];
                            }[];
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/subjects/requests": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List requests about subjects
         * @description Gives exports and erasures, the newest first. Needs the role admin; a token needs the scope admin.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly requests: readonly {
                                readonly id: string;
                                /** @enum {unknown} */
                                readonly kind: "export" | "erase";
                                /** @enum {unknown} */
                                readonly state: "waiting" | "done" | "failed";
                                /** @description what was done; null until it is done */
                                readonly report: {
                                    readonly recordings: number;
                                    readonly bytes: number;
                                    /** @description files that no longer exist */
                                    readonly missing: number;
                                } | ({
                                    readonly outcomes: readonly {
                                        readonly recording: string;
                                        /** @enum {unknown} */
                                        readonly did: "deleted" | "redacted" | "kept";
                                        readonly why: string;
                                        /** @description nothing of the person is left in it */
                                        readonly isWhole: boolean;
                                    }[];
                                    readonly remains?: readonly {
                                        /** @description recording, file, folder, or a column such as rooms.name */
                                        readonly where: string;
                                        readonly id: string | null;
                                        readonly recording: string | null;
                                        readonly count: number;
                                        readonly why: string;
                                        /** @description what to do next */
                                        readonly next: string;
                                    }[];
                                    /** @description the search afterwards found nothing */
                                    readonly isComplete?: boolean;
                                } & {
                                    readonly [key: string]: unknown;
                                }) | null;
                                readonly error: string | null;
                                readonly made: string;
                                readonly ended: string | null;
                                /** @description URL of the zip */
                                readonly url: string | null;
                            }[];
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/subjects/{id}/export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Export the data of a subject
         * @description Starts a job that packs everything that is kept of the person into a zip. Needs the role admin; a token needs the scope admin.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    /** @description name, UUID or account of a person */
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    /**
                     * @example {
                     *       "also": [
                     *         "069a79f4-44e9-4726-a5be-fca90e38aaf5"
                     *       ]
                     *     }
                     */
                    readonly "application/json": {
                        /**
                         * @description further names and UUIDs of the same person
                         * @default []
                         */
                        readonly also?: readonly string[];
                    };
                };
            };
            readonly responses: {
                /** @description Accepted */
                readonly 202: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly id: string;
                            readonly state: string;
                            readonly page: string;
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/subjects/{id}/erase": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Erase a subject
         * @description Ends the accounts of the person at once, with their sessions and tokens. Starts a job that deletes or redacts the recordings of the person and replaces the name in all rows. Recordings on hold are kept and listed. Needs the role admin; a token needs the scope admin.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    /** @description name, UUID or account of a person */
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    /**
                     * @example {
                     *       "also": [
                     *         "069a79f4-44e9-4726-a5be-fca90e38aaf5"
                     *       ],
                     *       "deletes": false
                     *     }
                     */
                    readonly "application/json": {
                        /**
                         * @description further names and UUIDs of the same person
                         * @default []
                         */
                        readonly also?: readonly string[];
                        /**
                         * @description delete recordings that cannot be redacted
                         * @default false
                         */
                        readonly deletes?: boolean;
                    };
                };
            };
            readonly responses: {
                /** @description Accepted */
                readonly 202: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly id: string;
                            readonly state: string;
                            readonly page: string;
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/subjects/requests/{request}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a request about a subject
         * @description Gives the state of an export or erasure, and its report once it is done. Needs the role admin; a token needs the scope admin.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly request: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly id: string;
                            /** @enum {unknown} */
                            readonly kind: "export" | "erase";
                            /** @enum {unknown} */
                            readonly state: "waiting" | "done" | "failed";
                            /** @description what was done; null until it is done */
                            readonly report: {
                                readonly recordings: number;
                                readonly bytes: number;
                                /** @description files that no longer exist */
                                readonly missing: number;
                            } | ({
                                readonly outcomes: readonly {
                                    readonly recording: string;
                                    /** @enum {unknown} */
                                    readonly did: "deleted" | "redacted" | "kept";
                                    readonly why: string;
                                    /** @description nothing of the person is left in it */
                                    readonly isWhole: boolean;
                                }[];
                                readonly remains?: readonly {
                                    /** @description recording, file, folder, or a column such as rooms.name */
                                    readonly where: string;
                                    readonly id: string | null;
                                    readonly recording: string | null;
                                    readonly count: number;
                                    readonly why: string;
                                    /** @description what to do next */
                                    readonly next: string;
                                }[];
                                /** @description the search afterwards found nothing */
                                readonly isComplete?: boolean;
                            } & {
                                readonly [key: string]: unknown;
                            }) | null;
                            readonly error: string | null;
                            readonly made: string;
                            readonly ended: string | null;
                            /** @description URL of the zip */
                            readonly url: string | null;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete the export of a subject
         * @description Deletes the zip and the request. Needs the role admin; a token needs the scope admin.
         */
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly request: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description No Content */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/subjects/requests/{request}/certificate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the certificate of an erasure
         * @description Lists what was removed, and what remains, where and why. Needs the role admin; a token needs the scope admin.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly request: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly request: string;
                            readonly asked: string;
                            readonly ended: string;
                            /** @description the opaque id that replaced the name */
                            readonly token: string;
                            /** @description the search afterwards found nothing */
                            readonly isComplete: boolean;
                            readonly searched: {
                                readonly columns: number;
                                readonly recordings: number;
                                readonly files: number;
                            };
                            readonly removed: readonly {
                                readonly recording: string;
                                /** @enum {unknown} */
                                readonly did: "deleted" | "redacted" | "kept";
                                readonly why: string;
                                /** @description nothing of the person is left in it */
                                readonly isWhole: boolean;
                            }[];
                            /** @description number of values with the opaque id, by column */
                            readonly changed: {
                                readonly [key: string]: number;
                            };
                            /** @description number of renamed files */
                            readonly renamed: number;
                            readonly remains: readonly {
                                /** @description recording, file, folder, or a column such as rooms.name */
                                readonly where: string;
                                readonly id: string | null;
                                readonly recording: string | null;
                                readonly count: number;
                                readonly why: string;
                                /** @description what to do next */
                                readonly next: string;
                            }[];
                            readonly backups: readonly {
                                readonly made: string;
                                readonly what: string;
                            }[];
                            readonly outside: readonly string[];
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/subjects/requests/{request}/certificate.txt": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the certificate of an erasure as text
         * @description Lists what was removed, and what remains, where and why, to read and print. Needs the role admin; a token needs the scope admin.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly request: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "text/plain": string;
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/subjects/requests/{request}/data": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Download the export of a subject
         * @description Sends the zip. Answers range requests, and 503 while the export is being made. Needs the role admin; a token needs the scope admin.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly request: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description The whole file */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/octet-stream": string;
                    };
                };
                /** @description The requested range */
                readonly 206: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/octet-stream": string;
                    };
                };
                /** @description The file has not changed */
                readonly 304: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/subjects/requests/{request}/retry": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Retry a request about a subject
         * @description Only a request that failed can be retried. Needs the role admin; a token needs the scope admin.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly request: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Accepted */
                readonly 202: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly id: string;
                            readonly state: string;
                            readonly page: string;
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description A problem (RFC 9457). Some problems have further members.
         * @example {
         *       "type": "about:blank",
         *       "title": "Not Found",
         *       "status": 404,
         *       "detail": "the recording does not exist, or you may not see it",
         *       "request": "2f1c5a52-8f0e-4b7e-9a62-1d0f0c1f7a55"
         *     }
         */
        readonly Problem: {
            readonly type: string;
            readonly title: string;
            readonly status: number;
            /** @description what is wrong, and what to do about it */
            readonly detail: string;
            /** @description id of the request in the log of the server */
            readonly request: string;
        } & {
            readonly [key: string]: unknown;
        };
        readonly Job: {
            readonly id: number;
            readonly kind: string;
            /** @description id of the recording or other thing that it is about */
            readonly subject: string;
            readonly state: "waiting" | "running" | "done" | "failed" | "cancelled";
            /** @description number of attempts */
            readonly attempts: number;
            /** @description 0 to 1 */
            readonly progress: number;
            readonly error: string | null;
            readonly result: unknown;
            readonly made: string;
            readonly due: string;
            readonly ended: string | null;
        };
        readonly Analyses: {
            readonly analyses: readonly {
                readonly id: string;
                /** @enum {unknown} */
                readonly kind: "stats" | "compare";
                readonly recording: string;
                readonly other: string | null;
                readonly options: {
                    readonly [key: string]: unknown;
                };
                readonly same: boolean | null;
                readonly made: string;
            }[];
        };
        readonly Analysis: {
            readonly id: string;
            /** @enum {unknown} */
            readonly kind: "stats" | "compare";
            readonly recording: string;
            readonly other: string | null;
            readonly options: {
                readonly [key: string]: unknown;
            };
            readonly same: boolean | null;
            readonly made: string;
            /** @description as `simtape stats --json` and `simtape compare --json` print it; `file` is the path in the library */
            readonly result: {
                readonly [key: string]: unknown;
            };
        };
        /**
         * @example {
         *       "id": "06f2x6q8h7nq",
         *       "name": "town.log",
         *       "key": "monday/town.log",
         *       "state": "indexed",
         *       "error": null,
         *       "format": "carla",
         *       "bytes": 182044,
         *       "started": "2026-02-01T12:00:00.000Z",
         *       "seconds": 60,
         *       "summary": "12 vehicles, 3 walkers; 2 collisions",
         *       "findings": 0,
         *       "owner": null,
         *       "collection": null,
         *       "tags": [
         *         "night"
         *       ],
         *       "added": "2026-02-01T12:05:11.000Z",
         *       "duplicate": false,
         *       "thumbnail": "/api/recordings/06f2x6q8h7nq/thumbnail",
         *       "url": "/api/recordings/06f2x6q8h7nq/files/town.log",
         *       "page": "/r/06f2x6q8h7nq"
         *     }
         */
        readonly Recording: {
            readonly id: string;
            readonly name: string;
            /** @description path of its main file in the library */
            readonly key: string;
            /** @enum {unknown} */
            readonly state: "new" | "indexed" | "failed" | "live" | "gone";
            readonly error: string | null;
            readonly format: string | null;
            readonly bytes: number;
            /** @description wall clock of t = 0 */
            readonly started: string | null;
            readonly seconds: number | null;
            readonly summary: string;
            /** @description number of findings */
            readonly findings: number;
            readonly owner: string | null;
            readonly collection: string | null;
            readonly tags: readonly string[];
            readonly added: string;
            /** @description another recording has the same content */
            readonly duplicate: boolean;
            /** @description URL of its picture, once it is indexed */
            readonly thumbnail: string;
            /** @description URL of its main file; the other files have URLs beside it */
            readonly url: string;
            readonly page: string;
        };
        readonly RecordingDetails: {
            readonly id: string;
            readonly name: string;
            /** @description path of its main file in the library */
            readonly key: string;
            /** @enum {unknown} */
            readonly state: "new" | "indexed" | "failed" | "live" | "gone";
            readonly error: string | null;
            readonly format: string | null;
            readonly bytes: number;
            /** @description wall clock of t = 0 */
            readonly started: string | null;
            readonly seconds: number | null;
            readonly summary: string;
            /** @description number of findings */
            readonly findings: number;
            readonly owner: string | null;
            readonly collection: string | null;
            readonly tags: readonly string[];
            readonly added: string;
            /** @description another recording has the same content */
            readonly duplicate: boolean;
            /** @description URL of its picture, once it is indexed */
            readonly thumbnail: string;
            /** @description URL of its main file; the other files have URLs beside it */
            readonly url: string;
            readonly page: string;
            readonly files: readonly {
                readonly name: string;
                readonly bytes: number;
                readonly etag: string;
            }[];
            /** @description files that show its world; `files/{name}` gives their bytes */
            readonly companions: readonly {
                readonly name: string;
                readonly bytes: number;
                /** @description SHA-256 of its bytes, in hex; null: an earlier release added the recording */
                readonly digest: string | null;
            }[];
            readonly metadata: {
                readonly [key: string]: unknown;
            };
            readonly channels: readonly {
                readonly name: string;
                /** @description number of messages */
                readonly count: number;
            }[];
            /** @description SHA-256 of all files */
            readonly digest: string | null;
            readonly first: number | null;
            readonly last: number | null;
            readonly findingList: readonly {
                readonly code: string;
                readonly severity: string;
                readonly message: string;
                readonly count: number;
            }[];
            /** @description things and persons in the recording */
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
            /** @description the least and the greatest value of each number */
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
        };
        readonly RecordingPage: {
            readonly recordings: readonly components["schemas"]["Recording"][];
            /** @description leads to the next page; null on the last page */
            readonly cursor: string | null;
        };
        readonly Events: {
            readonly events: readonly {
                /** @description nanoseconds since the start */
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
            /** @description leads to the next page; null on the last page */
            readonly cursor: string | null;
            /** @description damage in the part of the recording that was read */
            readonly findings: readonly {
                readonly code: string;
                readonly severity: string;
                readonly message: string;
                readonly offset: number | null;
            }[];
        };
        readonly Series: {
            readonly series: readonly {
                readonly path: string;
                readonly unit: string | null;
                /** @description number, integer, boolean or text */
                readonly kind: string;
                readonly interpolation: string;
                /** @description nanoseconds since the start, ascending */
                readonly time: readonly number[];
                /** @description one for each time; null where there is no value */
                readonly value: readonly (number | string | null)[];
            }[];
            /** @description damage in the part of the recording that was read */
            readonly findings: readonly {
                readonly code: string;
                readonly severity: string;
                readonly message: string;
                readonly offset: number | null;
            }[];
        };
        readonly State: {
            /** @description nanoseconds since the start */
            readonly time: number;
            readonly values: {
                readonly [key: string]: unknown;
            };
            readonly sets: {
                readonly [key: string]: {
                    readonly ids: readonly (number | string)[];
                    readonly columns: {
                        readonly [key: string]: {
                            readonly unit: string | null;
                            readonly width: number;
                            readonly data: readonly unknown[];
                        };
                    };
                    readonly axes?: unknown;
                };
            };
            /** @description damage in the part of the recording that was read */
            readonly findings: readonly {
                readonly code: string;
                readonly severity: string;
                readonly message: string;
                readonly offset: number | null;
            }[];
        };
        readonly When: {
            /** @description number of intervals */
            readonly count: number;
            /** @description nanoseconds for which it is true in all */
            readonly time: number;
            readonly first: number | null;
            readonly extreme: number | null;
            readonly at: number | null;
            readonly thing: string | null;
            readonly measure: {
                /** @enum {unknown} */
                readonly how: "min" | "max";
                readonly unit: string;
            } | null;
            /** @description in the order in which they end, as far as `limit` allows */
            readonly intervals: readonly {
                /** @description nanoseconds since the start */
                readonly from: number;
                /** @description the same as `from` of an instant */
                readonly until: number;
                readonly extreme: number | null;
                readonly at: number | null;
                readonly thing: string | null;
            }[];
            /** @description damage in the part of the recording that was read */
            readonly findings: readonly {
                readonly code: string;
                readonly severity: string;
                readonly message: string;
                readonly offset: number | null;
            }[];
        };
        readonly ExportTargets: {
            readonly targets: readonly {
                /** @description for `to` */
                readonly id: string;
                readonly name: string;
                /** @description endings of its files; the first is the usual one */
                readonly extensions: readonly string[];
                readonly mediaType: string;
                /** @description what it can carry of any recording */
                readonly carries: string;
                /** @description sets of this recording, and channels, that it can carry; none: the target does not fit */
                readonly fits: readonly string[];
            }[];
        };
        /**
         * @example {
         *       "columns": [
         *         {
         *           "name": "recording",
         *           "type": "VARCHAR",
         *           "unit": null
         *         },
         *         {
         *           "name": "collisions",
         *           "type": "BIGINT",
         *           "unit": null
         *         }
         *       ],
         *       "rows": [
         *         [
         *           "monday/town.log",
         *           3
         *         ]
         *       ],
         *       "truncated": false,
         *       "unread": 0,
         *       "problems": []
         *     }
         */
        readonly SqlAnswer: {
            readonly columns: readonly {
                readonly name: string;
                /** @description in the words of DuckDB: BIGINT, VARCHAR[], TIMESTAMP */
                readonly type: string;
                /** @description as recorded; null: none is known */
                readonly unit: string | null;
            }[];
            /** @description cells in the order of the columns. Numbers that JSON cannot write are text: NaN, Infinity, integers above 2^53 */
            readonly rows: readonly (readonly unknown[])[];
            /** @description there are more rows than the limit */
            readonly truncated: boolean;
            /** @description number of recordings that could not be read: their rows are missing */
            readonly unread: number;
            /** @description why; at most 100 */
            readonly problems: readonly {
                readonly recording: string;
                readonly code: string;
                readonly message: string;
            }[];
        };
        readonly SqlTables: {
            readonly tables: readonly {
                readonly name: string;
                readonly columns: readonly string[];
            }[];
            /** @description number of recordings that a statement would reach */
            readonly recordings: number;
            /** @description number of recordings whose tables these are */
            readonly looked: number;
        };
        readonly Collection: {
            readonly id: string;
            readonly name: string;
            /** @description who may read its recordings: off: staff; own: also the owner of a recording; all: all users */
            readonly public: "off" | "own" | "all";
            /** @description number of recordings in it */
            readonly count: number;
        };
        readonly SavedSearch: {
            readonly id: string;
            readonly name: string;
            readonly query: string;
            readonly where: string | null;
            readonly watched: boolean;
        };
        /**
         * @example {
         *       "id": "06f2x6q8h7ns",
         *       "search": {
         *         "id": "06f2x6q8h7nt",
         *         "name": "fast cars",
         *         "where": "any vehicles (speed > 100 km/h)"
         *       },
         *       "recording": "06f2x6q8h7nq",
         *       "name": "town.log",
         *       "page": "/r/06f2x6q8h7nq",
         *       "count": 3,
         *       "seconds": 4.25,
         *       "first": 12.5,
         *       "trouble": null,
         *       "made": "2026-02-01T12:05:14.000Z",
         *       "isRead": false
         *     }
         */
        readonly Alert: {
            readonly id: string;
            readonly search: {
                readonly id: string;
                readonly name: string;
                readonly where: string | null;
            };
            readonly recording: string;
            readonly name: string;
            readonly page: string;
            /** @description how often the expression is true; null: the search has none, or it has no answer */
            readonly count: number | null;
            /** @description how long it is true in all */
            readonly seconds: number | null;
            /** @description when it is true first */
            readonly first: number | null;
            /** @description why the expression has no answer for this recording: it took too long, for instance */
            readonly trouble: string | null;
            readonly made: string;
            readonly isRead: boolean;
        };
        readonly Me: {
            readonly id: string;
            readonly name: string;
            /** @enum {unknown} */
            readonly role: "none" | "recorder" | "viewer" | "player" | "staff" | "admin";
            readonly identities: readonly string[];
            readonly scopes: readonly string[];
            /** @description how the user is known. open: the server is open to all who reach it */
            readonly via: string;
        };
        readonly User: {
            readonly id: string;
            readonly name: string;
            /** @enum {unknown} */
            readonly role: "recorder" | "viewer" | "player" | "staff" | "admin";
            readonly identities: readonly string[];
            readonly disabled: boolean;
            readonly hasPassword: boolean;
            /** @description the user signs in by OpenID Connect */
            readonly isForeign: boolean;
            readonly made: string;
        };
        readonly Token: {
            readonly id: string;
            readonly name: string;
            /** @description id of the user that it acts for */
            readonly owner: string;
            readonly scopes: readonly string[];
            readonly expires: string | null;
            /** @description time of its last use, roughly */
            readonly used: string | null;
            readonly made: string;
        };
        readonly AuditLine: {
            readonly id: number;
            readonly at: string;
            /** @description id of the user; null: not signed in */
            readonly who: string | null;
            /** @description present name of the user */
            readonly name: string | null;
            readonly role: string;
            readonly action: string;
            readonly recording: string | null;
            /** @description id of the request in the log */
            readonly request: string | null;
            readonly address: string | null;
            readonly details: unknown;
        };
        readonly Share: {
            readonly id: string;
            readonly recording: string | null;
            readonly owner: string;
            readonly first: number | null;
            readonly last: number | null;
            /** @description making, ready or failed */
            readonly state: string;
            readonly error: string | null;
            readonly expires: string;
            readonly made: string;
        };
        readonly SharedRecording: {
            readonly name: string;
            readonly format: string | null;
            readonly summary: string;
            readonly first: number | null;
            readonly last: number | null;
            /** @description making: ask again soon; ready; failed */
            readonly state: string;
            readonly expires: string;
            /** @description URL of its main file; the other files have URLs beside it */
            readonly url: string | null;
            readonly files: readonly {
                readonly name: string;
                readonly bytes: number;
            }[];
        };
        readonly Upload: {
            readonly id: string;
            readonly bytes: number;
            readonly received: number;
            readonly state: "receiving" | "placing" | "placed";
            /** @description path in the library, once `state` is placed */
            readonly key: string | null;
        };
        readonly Room: {
            readonly id: string;
            readonly name: string;
            readonly recordings: readonly string[];
            readonly page: string;
            /** @description path of its WebSocket */
            readonly socket: string;
            readonly mine: boolean;
        };
        readonly Note: {
            readonly id: string;
            readonly recording: string;
            readonly author: string;
            /** @description seconds */
            readonly time: number;
            readonly thing: string | null;
            readonly text: string;
            readonly made: string;
        };
        /**
         * @example {
         *       "kind": "nanover",
         *       "address": "ws://127.0.0.1:38801",
         *       "phase": "recording",
         *       "recording": "nanover-2026-11-27-103916",
         *       "messages": 18220,
         *       "bytes": 4100200,
         *       "gaps": 0,
         *       "problem": null
         *     }
         */
        readonly RunningProgram: {
            readonly kind: string;
            /** @description without secrets */
            readonly address: string;
            /**
             * @description waiting: the server could not reach the program, or it has ended, and tries again every 5 s; away: the connection broke, and the recording continues when it is back
             * @enum {unknown}
             */
            readonly phase: "waiting" | "connecting" | "recording" | "away";
            /** @description id of the recording that is being made */
            readonly recording: string | null;
            /** @description of this recording */
            readonly messages: number;
            readonly bytes: number;
            /** @description how often the connection broke in this recording */
            readonly gaps: number;
            /** @description why it is not recorded now */
            readonly problem: string | null;
        };
        /**
         * @example {
         *       "name": "foxglove",
         *       "kind": "foxglove",
         *       "address": "ws://127.0.0.1:8765",
         *       "clients": 2,
         *       "sentMessages": 18220,
         *       "sentBytes": 4100200,
         *       "skipped": 0,
         *       "waitingBytes": 0,
         *       "offered": 212,
         *       "loaded": {
         *         "recording": "06f2x6q8h7nq",
         *         "name": "town.log",
         *         "page": "/r/06f2x6q8h7nq",
         *         "phase": "playing",
         *         "time": 12.5,
         *         "seconds": 60,
         *         "rate": 1,
         *         "repeat": false
         *       },
         *       "trouble": null
         *     }
         */
        readonly Outlet: {
            readonly name: string;
            /** @enum {unknown} */
            readonly kind: "foxglove" | "nanover";
            /** @description where clients connect */
            readonly address: string;
            /** @description clients that are connected */
            readonly clients: number;
            readonly sentMessages: number;
            readonly sentBytes: number;
            /** @description frames and messages that were left out for clients that did not keep up */
            readonly skipped: number;
            /** @description bytes that the networks of clients have not taken */
            readonly waitingBytes: number;
            /** @description number of recordings that clients can choose */
            readonly offered: number;
            readonly loaded: {
                /** @description id */
                readonly recording: string;
                /** @description by which clients choose it */
                readonly name: string;
                readonly page: string;
                /** @enum {unknown} */
                readonly phase: "loading" | "paused" | "playing" | "buffering" | "ended" | "failed" | "closed";
                /** @description seconds since its start */
                readonly time: number;
                /** @description its length */
                readonly seconds: number;
                readonly rate: number;
                readonly repeat: boolean;
            } | null;
            readonly trouble: {
                /** @description name */
                readonly recording: string;
                /** @description why it could not be loaded, or is no longer shown */
                readonly message: string;
                readonly at: string;
            } | null;
        };
        readonly Report: {
            readonly id: string;
            readonly recording: string | null;
            readonly subject: string;
            readonly text: string;
            /** @enum {unknown} */
            readonly state: "open" | "assigned" | "closed";
            readonly made: string;
            readonly closed: string | null;
        };
        readonly Review: {
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
            /** @enum {unknown} */
            readonly state: "open" | "assigned" | "closed";
            readonly assignee: string | null;
            readonly verdict: string | null;
            readonly remark: string | null;
            readonly judge: string | null;
            readonly clip: string | null;
            readonly clipError: string | null;
            readonly clipLost: readonly {
                readonly path: string;
                readonly count: number;
                readonly reason: string;
            }[];
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
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
