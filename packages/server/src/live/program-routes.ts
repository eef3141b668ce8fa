import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import type { Routes } from "../http/app.ts";
import type { Programs } from "./programs.ts";

const PROGRAM = Type.Object(
  {
    kind: Type.String(),
    address: Type.String({ description: "without secrets" }),
    phase: Type.Enum(["waiting", "connecting", "recording", "away"], {
      description:
        "waiting: the server could not reach the program, or it has ended, and tries again every 5 s; away: the connection broke, and the recording continues when it is back",
    }),
    recording: Type.Union([Type.String(), Type.Null()], { description: "id of the recording that is being made" }),
    messages: Type.Number({ description: "of this recording" }),
    bytes: Type.Number(),
    gaps: Type.Integer({ description: "how often the connection broke in this recording" }),
    problem: Type.Union([Type.String(), Type.Null()], { description: "why it is not recorded now" }),
  },
  {
    $id: "RunningProgram",
    examples: [
      {
        ...{ kind: "nanover", address: "ws://127.0.0.1:38801", phase: "recording" },
        ...{ recording: "nanover-2026-11-27-103916", messages: 18_220, bytes: 4_100_200, gaps: 0, problem: null },
      },
    ],
  },
);

/** The programs that this node records, for the staff. */
export function programRoutes(programs: Programs): Routes {
  return (app: FastifyInstance) => {
    app.addSchema(PROGRAM);
    app.get(
      "/api/programs",
      {
        config: { role: "staff" },
        schema: {
          summary: "List recorded programs",
          description: "Gives the running programs that this node records (`--from`), and the state of each.",
          response: { 200: Type.Object({ programs: Type.Array(Type.Ref("RunningProgram")) }) },
        },
      },
      () => ({ programs: programs.states }),
    );
  };
}
