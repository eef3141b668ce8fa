import { useState } from "react";
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
  return (
    <Link className="card" data-state={state} href={momentOf(id, fit?.first ?? null, where)} tabIndex={tabIndex}>
      <span className="card-picture">
        <Picture key={`${state} ${bytes}`} item={item} />
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

/** How it looks from above; until that is made, nothing. */
function Picture({ item }: { readonly item: Item }) {
  const [isMissing, setMissing] = useState(false);
  if (isMissing || item.state === "new" || item.state === "failed")
    return <span className="card-blank">{item.state === "failed" ? "cannot be read" : ""}</span>;
  return (
    <img
      src={at(`api/recordings/${item.id}/thumbnail`)}
      alt=""
      width={320}
      height={180}
      loading="lazy"
      decoding="async"
      draggable={false}
      onError={() => setMissing(true)}
    />
  );
}
