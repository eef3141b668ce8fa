import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import { Recordings } from "../catalog/access.ts";
import type { Context } from "../context.ts";
import type { Routes } from "../http/app.ts";
import { Audit } from "../people/audit.ts";
import { Problem } from "../problem.ts";
import type { OutletState, Playing } from "./messages.ts";
import type { Outlets } from "./outlets.ts";
import { CONTROL, LOAD, NAME, OUTLET } from "./shapes.ts";

type Named = { Params: Static<typeof NAME> };

const WRITE = { role: "staff", scope: "write" } as const;

/** The outlets of this node, for the staff: what they show, and to how many. */
export function outletRoutes(outlets: Outlets): Routes {
  return (app: FastifyInstance, context: Context) => {
    const recordings = Recordings.of(context);
    const audit = new Audit(context.query);
    app.addSchema(OUTLET);

    app.get(
      "/api/outlets",
      {
        config: { role: "staff" },
        schema: {
          summary: "List outlets",
          description:
            "Gives the outlets of this node (`--into`): where clients of programs connect, how many are connected, and which recording they watch.",
          response: { 200: Type.Object({ outlets: Type.Array(Type.Ref("Outlet")) }) },
        },
      },
      () => ({ outlets: outlets.states.map(itemOf) }),
    );

    app.post<Named & { Body: Static<typeof LOAD> }>(
      "/api/outlets/:name/load",
      {
        config: WRITE,
        schema: {
          summary: "Play a recording into an outlet",
          description:
            "All clients of the outlet watch this recording from now on. It plays from the start unless the body says otherwise. The account of the outlets must have the right to read it.",
          params: NAME,
          body: LOAD,
          response: { 200: Type.Ref("Outlet") },
        },
      },
      async (request) => {
        const { recording: id, ...playing } = request.body;
        const { name } = request.params;
        outlets.check(name);
        const found = await recordings.find(id, request);
        checkRate(playing);
        if (!(await outlets.offers.mayWatch(found)))
          throw new Problem(403, "the account of the outlets (--into-as) may not read this recording");
        const state = await outlets.load(name, id, (recording) => ({ of: "load", recording, playing }));
        await audit.note(request, { action: "outlet", recording: id, details: { outlet: name, did: "load" } });
        return itemOf(state);
      },
    );

    app.post<Named & { Body: Static<typeof CONTROL> }>(
      "/api/outlets/:name/control",
      {
        config: WRITE,
        schema: {
          summary: "Control what an outlet plays",
          description: "Plays, pauses, seeks and sets rate and repetition, for all clients of the outlet.",
          params: NAME,
          body: CONTROL,
          response: { 200: Type.Ref("Outlet") },
        },
      },
      async (request) => {
        checkRate(request.body);
        return itemOf(await outlets.do(request.params.name, { of: "control", playing: request.body }));
      },
    );

    app.post<Named>(
      "/api/outlets/:name/unload",
      {
        config: WRITE,
        schema: {
          summary: "Unload what an outlet plays",
          description: "Its clients stay connected, and watch nothing until a recording is loaded.",
          params: NAME,
          response: { 200: Type.Ref("Outlet") },
        },
      },
      async (request) => {
        const { name } = request.params;
        const state = await outlets.do(name, { of: "unload" });
        await audit.note(request, { action: "outlet", details: { outlet: name, did: "unload" } });
        return itemOf(state);
      },
    );
  };
}

function checkRate({ rate }: Playing): void {
  if (rate === 0) throw new Problem(400, "a rate of 0 is none: pause it with playing");
}

function itemOf(state: OutletState) {
  const { loaded } = state;
  return { ...state, loaded: loaded === null ? null : { ...loaded, page: `/r/${loaded.recording}` } };
}
