import { useEffect, useState } from "react";
import { sizeText } from "../../size.ts";
import { clock } from "../../time.ts";
import { at } from "../api.ts";
import { dateText } from "../dates.ts";
import { Link } from "../route.tsx";
import { momentOf, timesText } from "../moment.ts";
import type { Item } from "../shapes.ts";
import type { Fit } from "./use-fits.ts";

/** A recording of the library: what it looks like, is called and holds. The whole of it is one link. */
export function Card({
  item,
  fit,
  where,
  tabIndex,
}: {
  readonly item: Item;
  /** How often the expression of the search is true. */
  readonly fit: Fit | undefined;
  readonly where: string;
  readonly tabIndex: number;
}) {
  const { id, name, state, format, seconds, bytes, started, added, summary, findings, tags, error } = item;
  const when = dateText(started ?? added);
  const [isLively, setLively] = useState(false);
  const [begin, end] = [() => setLively(true), () => setLively(false)];
  return (
    <Link
      className="card"
      data-state={state}
      href={momentOf(id, fit?.first ?? null, where)}
      tabIndex={tabIndex}
      onPointerEnter={begin}
      onPointerLeave={end}
      onFocus={begin}
      onBlur={end}
    >
      <span className="card-picture">
        <Picture key={`${state} ${bytes}`} item={item} isLively={isLively} />
        {state === "live" && <span className="card-live">Live</span>}
        {findings > 0 && (
          <span className="card-findings">
            {findings} {findings === 1 ? "finding" : "findings"}
          </span>
        )}
        {fit !== undefined && (
          <span className="card-fit" data-wrong={fit.trouble !== null || undefined} title={fit.trouble ?? undefined}>
            {fit.trouble === null ? timesText(fit.count, fit.first ?? 0) : "No answer"}
          </span>
        )}
        {seconds !== null && <span className="card-length">{clock(seconds * 1e9, 0)}</span>}
      </span>
      <span className="card-name" title={item.key}>
        {name}
      </span>
      <span className="card-facts">
        {format !== null && <b>{FORMAT_TITLES[format] ?? format}</b>}
        <span title={started === null ? "added" : "recorded"}>{when}</span>
        <span>{sizeText(bytes)}</span>
      </span>
      <span className="card-summary" data-wrong={state === "failed" || undefined}>
        {state === "failed" ? (error ?? "It cannot be read.") : state === "new" ? "Being read …" : summary}
      </span>
      {tags.length > 0 && (
        <span className="card-tags">
          {tags.map((tag) => (
            <span key={tag} className="tag">
              {tag}
            </span>
          ))}
        </span>
      )}
    </Link>
  );
}

/** Milliseconds for which a card is looked at before its things move. */
const LOOKED_AT = 150;

/** How it looks from above; until that is made, nothing. Its things move while the card is looked at. */
function Picture({ item, isLively }: { readonly item: Item; readonly isLively: boolean }) {
  const [isMissing, setMissing] = useState(false);
  const [isMoving, setMoving] = useState(false);
  useEffect(() => {
    if (!isLively || matchMedia("(prefers-reduced-motion: reduce)").matches) return undefined;
    const timer = setTimeout(() => setMoving(true), LOOKED_AT);
    return () => {
      clearTimeout(timer);
      setMoving(false);
    };
  }, [isLively]);
  if (isMissing || item.state === "new" || item.state === "failed")
    return <span className="card-blank">{item.state === "failed" ? "cannot be read" : ""}</span>;
  const picture = { width: 320, height: 180, draggable: false } as const;
  const address = at(`api/recordings/${item.id}/thumbnail`);
  return (
    <>
      <img alt="" {...picture} src={address} loading="lazy" decoding="async" onError={() => setMissing(true)} />
      {isMoving && (
        <img
          alt=""
          {...picture}
          className="card-moving"
          src={`${address}?moving=true`}
          onError={() => setMoving(false)}
        />
      )}
    </>
  );
}
