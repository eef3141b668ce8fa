import "./outlets.css";
import { useState } from "react";
import { useTimeScale } from "../../use-time-scale.ts";
import { useSession } from "../../hooks.ts";
import { clock } from "../../time.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useList } from "../admin/use-list.ts";
import type { Details, Outlet } from "../shapes.ts";

/** Between two looks, milliseconds. */
const LOOK_EVERY = 1000;

/** Plays this recording to the clients of other programs, which watch it together. */
export function OutletDialog({ details, onClose }: { readonly details: Details; readonly onClose: () => void }) {
  const session = useSession();
  const scale = useTimeScale();
  const { list, failure, change } = useList("GET /api/outlets", LOOK_EVERY);
  const [isNow, setNow] = useState(false);
  const [repeat, setRepeat] = useState(false);
  const { start } = session.bounds;
  const [now] = useState(session.time ?? start);
  const load = (name: string) => {
    const at = isNow ? Math.max(0, (now - start) / 1e9) : 0;
    return change("POST /api/outlets/{name}/load", { params: { name }, body: { recording: details.id, at, repeat } });
  };
  return (
    <Dialog title="Play into a program" onClose={onClose}>
      <h2>Play into a program</h2>
      <p>All who are connected to an outlet with their program watch what plays there.</p>
      {failure !== null && (
        <p role="alert" className="wrong">
          {failure}
        </p>
      )}
      {list?.outlets.length === 0 && (
        <p className="faint">
          This node of the server has no outlet. It gets one when it is started with <code>--into</code>.
        </p>
      )}
      {list !== null && list.outlets.length > 0 && (
        <div className="form">
          <label>
            <input type="checkbox" checked={isNow} onChange={(event) => setNow(event.currentTarget.checked)} /> Begin at
            this moment ({scale.text(now, 1)})
          </label>
          <label>
            <input type="checkbox" checked={repeat} onChange={(event) => setRepeat(event.currentTarget.checked)} />{" "}
            Begin again at the end
          </label>
          <ul className="outlets">
            {list.outlets.map((outlet) => {
              const { name } = outlet;
              const params = { name };
              const control = (playing: boolean) =>
                void change("POST /api/outlets/{name}/control", { params, body: { playing } });
              return (
                <li key={name}>
                  <Status outlet={outlet} />
                  <div className="form-line">
                    <Button kind="main" onClick={() => void load(name)}>
                      Play this here
                    </Button>
                    {outlet.loaded !== null && (
                      <>
                        <Button onClick={() => control(!isPlaying(outlet))}>
                          {isPlaying(outlet) ? "Pause" : "Continue"}
                        </Button>
                        <Button onClick={() => void change("POST /api/outlets/{name}/unload", { params })}>Stop</Button>
                      </>
                    )}
                  </div>
                </li>
              );
            })}
          </ul>
        </div>
      )}
    </Dialog>
  );
}

function Status({ outlet }: { readonly outlet: Outlet }) {
  const { name, kind, address, clients, skipped, loaded, trouble } = outlet;
  return (
    <>
      <h3>
        {titleOf(kind)}
        {name !== kind && ` (${name})`} <code>{address}</code>
      </h3>
      <p>
        {clients === 1 ? "1 client" : `${clients} clients`}
        {skipped > 0 && `, ${skipped.toLocaleString()} messages left out for those that did not keep up`}
      </p>
      {loaded === null ? (
        <p className="faint">nothing plays</p>
      ) : (
        <p>
          {loaded.name}: {loaded.phase}, {clock(loaded.time * 1e9, 0)} of {clock(loaded.seconds * 1e9, 0)}
          {loaded.rate !== 1 && `, rate ${loaded.rate}`}
          {loaded.repeat && ", again and again"}
        </p>
      )}
      {trouble !== null && (
        <p className="wrong">
          {trouble.recording}: {trouble.message}
        </p>
      )}
    </>
  );
}

function isPlaying({ loaded }: Outlet): boolean {
  return loaded?.phase === "playing" || loaded?.phase === "buffering";
}

/** As the format of that name is called, or with a capital. */
function titleOf(kind: Outlet["kind"]): string {
  return FORMAT_TITLES[kind] ?? kind.charAt(0).toUpperCase() + kind.slice(1);
}
