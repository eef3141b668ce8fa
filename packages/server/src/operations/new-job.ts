import { Type } from "typebox";

/** The answer of a request that begins a job. */
export const NEW_JOB = Type.Object({ id: Type.Number({ description: "see /api/jobs/{id}" }) });
