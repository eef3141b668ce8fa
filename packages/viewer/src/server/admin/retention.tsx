import type { AnswerOf } from "simtape-client";
import { useState } from "react";
import { sizeText } from "../../size.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { at } from "../api.ts";
import { momentText } from "../dates.ts";
import { useMe } from "../me.tsx";
import { Link } from "../route.tsx";
import { hasRole } from "../shapes.ts";
import { Holds } from "./holds.tsx";
import { Table } from "./table.tsx";
import { useList } from "./use-list.ts";

type PolicyShown = AnswerOf<"GET /api/retention/policy">;
type Plan = AnswerOf<"GET /api/retention/plan">;
type Row = NonNullable<Extract<Plan, { readonly content: unknown }>["content"]>["rows"][number];

/** Between two looks, milliseconds: a plan is made by a job. */
const LOOK_EVERY = 2000;

/** What stays and what goes: the policy, what it would delete, and what is on hold. */
export function Retention() {
  const { list: policy, failure } = useList("GET /api/retention/policy");
  return (
    <>
      {failure !== null && (
        <p role="alert" className="wrong">
          {failure}
        </p>
      )}
      {policy?.file === null && (
        <p className="hint">Everything stays: the server has no policy. Start it with --retention FILE.</p>
      )}
      {policy?.file != null && <Judged shown={policy} />}
      <h2>On hold</h2>
      <Holds />
    </>
  );
}

function Judged({ shown: { policy, error, hours } }: { readonly shown: PolicyShown }) {
  const me = useMe();
  const { list: plan, failure, change } = useList("GET /api/retention/plan", LOOK_EVERY);
  const [isAsking, setAsking] = useState(false);
  const made = plan !== null && "content" in plan ? plan : null;
  const content = made?.content ?? null;
  const isBusy = plan?.state === "making" || plan?.state === "applying";
  return (
    <>
      {error !== null && (
        <p role="alert" className="wrong">
          {error}
        </p>
      )}
      <details>
        <summary>The policy</summary>
        <pre className="policy">{JSON.stringify(policy, null, 2)}</pre>
      </details>
      <p className="hint">
        {hours === 0 ? "It is carried out only from here." : `It is carried out every ${hours} h by itself.`} The first
        run marks what goes, a run after the grace deletes it.
      </p>
      <div className="reviews-head">
        <Button disabled={isBusy} onClick={() => void change("POST /api/retention/plan")}>
          Check what it would delete
        </Button>
        {hasRole(me, "admin") && plan?.state === "ready" && content !== null && (
          <Button kind="main" onClick={() => setAsking(true)}>
            Run it …
          </Button>
        )}
        <span role="status">{plan === null ? "" : stateText(plan)}</span>
      </div>
      {content?.warnings.map((warning) => (
        <p key={warning} className="wrong">
          {warning}
        </p>
      ))}
      <Table
        columns={["Recording", "Goes", "Why", "Class", "Size", "Marked"]}
        rows={content === null ? null : content.rows.map(rowOf)}
        failure={failure ?? made?.error ?? null}
        none="There is no recording that it judges."
      />
      {isAsking && plan !== null && content !== null && (
        <Dialog title="Run the plan" onClose={() => setAsking(false)}>
          <p>
            {content.going} of {content.recordings} recordings ({sizeText(content.bytesGoing)}) go. Recordings that are
            not marked yet are marked. Those whose grace period is over are deleted for good.
          </p>
          <div className="form-line">
            <Button
              kind="main"
              onClick={() => {
                setAsking(false);
                void change("POST /api/retention/run", { body: { plan: plan.id } });
              }}
            >
              Run it
            </Button>
            <Button onClick={() => setAsking(false)}>Change nothing</Button>
          </div>
        </Dialog>
      )}
    </>
  );
}

function rowOf({ recording, id, decision, reason, class: of, bytes, marked }: Row) {
  return {
    key: id,
    cells: [
      recording === null ? (
        id
      ) : (
        <Link key="recording" href={at(`r/${recording}`)}>
          {id}
        </Link>
      ),
      decision === "delete" ? <b key="goes">goes</b> : "stays",
      reason,
      of ?? "",
      sizeText(bytes),
      marked === null ? "" : momentText(marked),
    ],
  };
}

function stateText(plan: Plan): string {
  const { state } = plan;
  const content = "content" in plan ? plan.content : null;
  if (state === "making") return "Looking at the library …";
  if (state === "applying") return "Being carried out …";
  if (state === "failed" || content === null) return "";
  const judged = `${content.going} of ${content.recordings} go (${sizeText(content.bytesGoing)})`;
  return `${state === "applied" ? "Carried out" : "Checked"} ${momentText(content.judged)}: ${judged}.`;
}
