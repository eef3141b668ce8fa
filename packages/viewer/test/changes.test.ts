import { describe, expect, test } from "vitest";
import { amend, change, changesOf, redo, undo } from "../src/changes.ts";
import { Session } from "../src/session.ts";

function kept(session: Session): Readonly<Record<string, unknown>> {
  return session.state.value.shared;
}

describe("changes of what the address keeps", () => {
  test("are undone from the newest on, whichever part they are of, and made again", () => {
    const session = new Session();
    change(session, "layout", "wide");
    change(session, "path", [1]);
    change(session, "layout", "high");
    expect([undo(session), kept(session)]).toEqual(["layout", { layout: "wide", path: [1] }]);
    expect([undo(session), kept(session)]).toEqual(["path", { layout: "wide" }]);
    expect([redo(session), kept(session)]).toEqual(["path", { layout: "wide", path: [1] }]);
    expect([redo(session), kept(session)]).toEqual(["layout", { layout: "high", path: [1] }]);
    expect(redo(session)).toBeNull();
    for (const _ of "123") undo(session);
    expect(kept(session)).toEqual({});
    expect(undo(session)).toBeNull();
  });

  test("are undone of one part alone", () => {
    const session = new Session();
    change(session, "path", [1]);
    change(session, "layout", "wide");
    expect([undo(session, "path"), kept(session)]).toEqual(["path", { layout: "wide" }]);
    expect(changesOf(session, "path")).toEqual({ canUndo: false, canRedo: true });
    expect(changesOf(session, "layout")).toEqual({ canUndo: true, canRedo: false });
    // what comes after is of the other part: the path can still be made again
    change(session, "layout", "high");
    expect([redo(session, "path"), kept(session)]).toEqual(["path", { layout: "high", path: [1] }]);
  });

  test("are forgotten when the value is replaced otherwise, and stay when it is amended", () => {
    const session = new Session();
    change(session, "path", [1]);
    change(session, "layout", "wide");
    session.share("path", [2]);
    expect([undo(session), kept(session)]).toEqual(["layout", { path: [2] }]);
    expect(undo(session)).toBeNull();
    redo(session);
    amend(session, "layout", "wide, other tab");
    expect([undo(session), kept(session)]).toEqual(["layout", { path: [2] }]);
    expect([redo(session), kept(session)]).toEqual(["layout", { path: [2], layout: "wide, other tab" }]);
  });
});
