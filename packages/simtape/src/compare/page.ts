import { toJson } from "../model/values/json.ts";
import type { Value } from "../model/values/value.ts";
import { clockText, escaped, numberText } from "../model/values/markup.ts";
import { linkTo, nameOfPath, reportPage, type TimeLink } from "../model/report-page.ts";
import { plotOf } from "./plot.ts";
import type { Comparison, ComparedSide, Divergence, EventDifference, OnlyIn, PathDifference } from "./report.ts";

/** Paths that have a plot, and rows of each table. */
const MOST_PLOTS = 100;
const MOST_ROWS = 500;

/** What a report is of. */
export interface PageOptions {
  /** Names of the two for people: paths or addresses. */
  readonly a: string;
  readonly b: string;
  /** Address of a page in which A plays, as `simtape view` prints it: times lead there. Absent: they lead nowhere. */
  readonly view?: string | undefined;
}

/** A report of a comparison as one page: no script, nothing from elsewhere, light and dark. */
export function comparisonPage(found: Comparison, options: PageOptions): string {
  const { a, b, same, first } = found;
  const link = linkTo(options.view);
  const title = `${same ? "Same" : "Different"}: ${nameOfPath(options.a)} and ${nameOfPath(options.b)}`;
  const body = `<header>
<p class="verdict ${same ? "same" : "different"}">${same ? "Same" : "Different"}</p>
<h1>${escaped(nameOfPath(options.a))} <span>and</span> ${escaped(nameOfPath(options.b))}</h1>
</header>
${sidesTable(options, a, b)}
<p class="dim">${escaped(rangeText(found))}</p>
${first === null ? "" : firstCard(first, link)}
${pathsPart(found, link)}
${onlyPart("Only in A", found.onlyIn.a, found.moreOnlyIn.a, link)}
${onlyPart("Only in B", found.onlyIn.b, found.moreOnlyIn.b, link)}
${eventsPart(found, link)}
${findingsPart("Findings of A", a)}
${findingsPart("Findings of B", b)}
${found.notes.length === 0 ? "" : `<h2>Notes</h2>\n<ul>${found.notes.map((note) => `<li>${escaped(note)}</li>`).join("")}</ul>`}`;
  return reportPage({ title, body, style: STYLE });
}

function rangeText({ range, alignment, moments }: Comparison): string {
  const how =
    alignment.by === "start" ? "" : `, aligned by ${alignment.by}: B shifted by ${numberText(alignment.shift / 1e9)} s`;
  const looked =
    moments === 0
      ? "all messages are equal byte for byte"
      : `${moments} moments compared, all other messages are equal byte for byte`;
  return `From ${clockText(range.start)} to ${clockText(range.end)} of A${how}; ${looked}. Times are those of A.`;
}

function sidesTable({ a, b }: PageOptions, one: ComparedSide, other: ComparedSide): string {
  const row = (which: string, name: string, { format, start, end, epoch }: ComparedSide): string => {
    const began = epoch === null ? "" : new Date(Number(BigInt(epoch) / 1_000_000n)).toISOString();
    return `<tr><th scope="row">${which}</th><td class="path">${escaped(name)}</td><td>${escaped(format)}</td><td>${clockText(start)} to ${clockText(end)}</td><td>${began}</td></tr>`;
  };
  return `<table><thead><tr><th></th><th>recording</th><th>format</th><th>times</th><th>time 0</th></tr></thead><tbody>${row("A", a, one)}${row("B", b, other)}</tbody></table>`;
}

function firstCard({ time, kind, path, thing, a, b, error, unit, tolerance }: Divergence, link: TimeLink): string {
  const in_ = unit === null ? "" : ` ${escaped(unit)}`;
  const [one, other] =
    kind === "extent" ? [`ends at ${valueText(a)}`, `ends at ${valueText(b)}`] : [valueText(a), valueText(b)];
  const apart =
    error === null
      ? ""
      : `<dt>apart</dt><dd>${numberText(error)}${in_}${tolerance === null ? "" : `, tolerance ${numberText(tolerance)}`}</dd>`;
  return `<section class="first"><h2>First difference at ${link(time, thing)}</h2><p class="path">${escaped(kind === "event" ? `event ${path}` : path)}</p><dl><dt>A</dt><dd>${one}${kind === "value" ? in_ : ""}</dd><dt>B</dt><dd>${other}${kind === "value" ? in_ : ""}</dd>${apart}</dl></section>`;
}

function pathsPart({ paths, morePaths, range }: Comparison, link: TimeLink): string {
  if (paths.length === 0) return "";
  const rows = paths.slice(0, MOST_ROWS).map((path, i) => pathRow(path, i, link));
  const left = paths.length - rows.length + morePaths;
  const plots = paths.slice(0, MOST_PLOTS).map((path, i) => plotPart(path, i, range, link));
  const head = "<tr><th>path</th><th>first</th><th>greatest error</th><th>at</th><th>RMS</th><th>moments</th></tr>";
  return `<h2>Paths</h2>\n<div class="wide"><table><thead>${head}</thead><tbody>${rows.join("")}</tbody></table></div>${moreText(left)}\n<h2>Error over time</h2>\n${plots.join("\n")}${moreText(paths.length - plots.length)}`;
}

function moreText(left: number): string {
  return left > 0 ? `<p class="dim">… and ${left} more</p>` : "";
}

function errorText(error: number | null, unit: string | null): string {
  return error === null ? "differs" : `${numberText(error)}${unit === null ? "" : ` ${escaped(unit)}`}`;
}

function pathRow({ path, unit, differs, first, max, rms, moments }: PathDifference, i: number, link: TimeLink): string {
  const name = i < MOST_PLOTS ? `<a href="#p${i}">${escaped(path)}</a>` : escaped(path);
  const begun = first === null ? "within tolerance" : link(first.time, first.thing);
  return `<tr${differs ? "" : ' class="dim"'}><td class="path">${name}</td><td>${begun}</td><td class="number">${errorText(max.error, unit)}</td><td>${link(max.time)}</td><td class="number">${rms === null ? "" : numberText(rms)}</td><td class="number">${moments}</td></tr>`;
}

function plotPart(
  { path, unit, curve, first, max, differs }: PathDifference,
  i: number,
  { start, end }: Comparison["range"],
  link: TimeLink,
): string {
  const marks = [
    ...(max.error === null ? [] : [{ time: max.time, kind: "max" as const }]),
    ...(first === null ? [] : [{ time: first.time, kind: "first" as const }]),
  ];
  const most = errorText(max.error, unit);
  const label = `Error of ${path} over time: ${most} at most, at ${clockText(max.time)}`;
  const facts =
    first === null
      ? "within tolerance"
      : `first ${link(first.time, first.thing)} at <span class="path">${escaped(first.path)}</span>: A ${valueText(first.a)}, B ${valueText(first.b)}`;
  return `<figure id="p${i}"${differs ? "" : ' class="within"'}><figcaption><span class="path">${escaped(path)}</span> <span class="dim">up to ${most} at <span class="path">${escaped(max.path)}</span>, ${link(max.time)}; ${facts}</span></figcaption>${plotOf({ curve, start, end, marks, label })}<p class="axis"><span>${clockText(start)}</span><span>${clockText(end)}</span></p></figure>`;
}

function onlyPart(title: string, only: readonly OnlyIn[], more: number, link: TimeLink): string {
  if (only.length === 0) return "";
  const shown = only.slice(0, MOST_ROWS);
  const rows = shown.map(
    ({ path, what, first, last }) =>
      `<tr><td class="path">${escaped(path)}</td><td>${what}</td><td>${link(first)}</td><td>${link(last)}</td></tr>`,
  );
  return `<h2>${title}</h2>\n<div class="wide"><table><thead><tr><th>path</th><th>what</th><th>from</th><th>to</th></tr></thead><tbody>${rows.join("")}</tbody></table></div>${moreText(only.length - shown.length + more)}`;
}

function eventsPart({ events }: Comparison, link: TimeLink): string {
  if (events.differing === 0) return events.same === 0 ? "" : `<h2>Events</h2>\n<p>${events.same} alike</p>`;
  const shown = events.differences.slice(0, MOST_ROWS);
  const rows = shown.map((one) => eventRow(one, link));
  return `<h2>Events</h2>\n<p>${events.same} alike, ${events.differing} differ</p>\n<div class="wide"><table><thead><tr><th></th><th>A</th><th>B</th></tr></thead><tbody>${rows.join("")}</tbody></table></div>${moreText(events.differing - shown.length)}`;
}

const HOW = { only: "only in one", time: "another time", order: "another order", kind: "another kind" } as const;

function eventRow({ how, a, b }: EventDifference, link: TimeLink): string {
  const cell = (event: EventDifference["a"]): string =>
    event === null ? "" : `${link(event.time)} <b>${escaped(event.kind)}</b> ${escaped(event.text)}`;
  return `<tr><th scope="row">${HOW[how]}</th><td>${cell(a)}</td><td>${cell(b)}</td></tr>`;
}

function findingsPart(title: string, { findings }: ComparedSide): string {
  if (findings.length === 0) return "";
  const items = findings
    .slice(0, MOST_ROWS)
    .map(
      ({ severity, code, message }) =>
        `<li>${escaped(severity)} <code>${escaped(code)}</code> ${escaped(message)}</li>`,
    );
  return `<h2>${title}</h2>\n<ul>${items.join("")}</ul>${moreText(findings.length - items.length)}`;
}

function valueText(value: Value): string {
  if (typeof value === "number") return numberText(value);
  if (value === null) return "nothing";
  if (Array.isArray(value) && value.every((item) => typeof item === "number"))
    return `(${value.map((item) => numberText(item as number)).join(", ")})`;
  const text = typeof value === "string" ? value : toJson(value);
  return `<q>${escaped(text.length > 200 ? `${text.slice(0, 199)}…` : text)}</q>`;
}

const STYLE = `.verdict{display:inline-block;margin:0;padding:.1rem .6rem;border-radius:.3rem;font-weight:600;border:1px solid}
.same{color:var(--good)}.different{color:var(--bad)}
.first{background:var(--panel);border-left:4px solid var(--first);padding:.6rem 1rem;margin:1.2rem 0}
.first h2{margin:0}.first p{margin:.2rem 0}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem .8rem;margin:.4rem 0}dt{color:var(--dim)}dd{margin:0;overflow-wrap:anywhere}
figure{margin:0 0 1.4rem}figcaption{margin-bottom:.3rem}
svg{display:block;width:100%;height:6rem;background:var(--panel)}
.base{stroke:var(--line);vector-effect:non-scaling-stroke}
.bars{fill:var(--bars)}.within .bars{opacity:.5}
.mark{background:none;padding:0;fill:none;vector-effect:non-scaling-stroke;stroke-width:1.5}.mark.first{stroke:var(--first)}.mark.max{stroke:var(--max);stroke-dasharray:4 3}
`;
