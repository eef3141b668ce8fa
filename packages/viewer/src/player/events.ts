import type { Session } from "../session.ts";

/** Between two events of a time that passes, milliseconds. */
const TIME_EVERY = 250;

/** Tells what a session does by the names that media elements have for it, until the function given back is called. */
export function tellEvents(session: Session, tell: (name: string) => void): () => void {
  let before = session.state.value;
  let told = 0;
  let isSeeking = false;
  let isEnding = false;
  /** The end is told when it is shown. */
  const end = (): void => {
    if (!isEnding || session.frame?.time !== session.state.value.status.time) return;
    isEnding = false;
    tell("ended");
  };
  const follow = (): void => {
    const now = session.state.value;
    const last = before;
    before = now;
    if (now.status.rate !== last.status.rate) tell("ratechange");
    if (now.isPlaying && !last.isPlaying) {
      isEnding = false;
      tell("play");
    }
    if (!now.isPlaying && last.isPlaying) tell("pause");
    if (now.status.phase === "ended" && last.status.phase !== "ended" && now.decks.length > 0) {
      isEnding = true;
      end();
    }
  };
  const stops = [
    session.state.subscribe(follow),
    session.onMove((move) => {
      if (move.move !== "seek") return;
      isSeeking = true;
      tell("seeking");
    }),
    session.onFrame(({ time }) => {
      // The frame of a seek under way is another one.
      const isThere = isSeeking && session.time === time;
      const now = performance.now();
      if (isThere || !session.isPlaying || now - told >= TIME_EVERY) {
        told = now;
        tell("timeupdate");
      }
      if (isThere) {
        isSeeking = false;
        tell("seeked");
      }
      end();
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
