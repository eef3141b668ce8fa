import { clockText, escaped, numberText } from "../model/values/markup.ts";
import { linkTo, nameOfPath, reportPage, type TimeLink } from "../model/report-page.ts";
import { curveOf, mapOf } from "./plot.ts";
import type { Race, RaceLap, Stretch, TheoreticalBest } from "./report.ts";

/** Laps that are listed, and that have curves and a map. */
const MOST_ROWS = 200;
const MOST_CURVES = 24;

/** What a report is of. */
export interface RacePageOptions {
  /** Names of the recordings for people: paths or addresses. */
  readonly files: readonly string[];
  /** Address of a page in which the first recording plays, as `simtape view` prints it: its times lead there. */
  readonly view?: string | undefined;
}

/** A report of a race as one page: no script, nothing from elsewhere, light and dark. */
export function racePage(found: Race, options: RacePageOptions): string {
  const { course, laps, notes } = found;
  const link = linkTo(options.view);
  const names = laps.map((lap) => nameOf(lap, options.files));
  const length = `${numberText(Number(course.length.toFixed(1)))} m`;
  const along =
    course.from === "lap"
      ? `along ${course.lap === null ? "a lap" : names[course.lap]!}`
      : `along ${course.from === "path" ? "a path" : "checkpoints"}`;
  const body = `<header>
<h1>${escaped(names[0]!)} <span>of ${laps.length === 1 ? "one lap" : `${laps.length} laps`}</span></h1>
<p class="dim">${length} ${escaped(along)}. Gaps are to the lap that leads; * is the best time of a sector.</p>
</header>
${lapsTable(found, names, link)}
${theoreticalPart(found, names, options.files)}
${curvesPart(found, names)}
${notes.length === 0 ? "" : `<h2>Notes</h2>\n<ul>${notes.map((note) => `<li>${escaped(note)}</li>`).join("")}</ul>`}`;
  return reportPage({
    title: `Race: ${names[0]!}${laps.length > 1 ? ` and ${laps.length - 1} more` : ""}`,
    body,
    style: STYLE,
  });
}

function nameOf({ recording, set, id, label, number }: RaceLap, files: readonly string[]): string {
  return `${nameOfPath(files[recording] ?? "")} ${label === "" ? `${set}[${id}]` : label} #${number}`;
}

function lapsTable({ course, laps, theoretical }: Race, names: readonly string[], link: TimeLink): string {
  const head = ["", "lap", "begins", "time", "gap", ...course.splits.map(({ name }) => name)];
  const rows = laps.slice(0, MOST_ROWS).map((lap, i) => {
    const begins =
      lap.recording === 0 ? link(lap.start, { set: lap.set, id: lap.id }) : `<time>${clockText(lap.start)}</time>`;
    const name = i > 0 && i <= MOST_CURVES ? `<a href="#l${i}">${escaped(names[i]!)}</a>` : escaped(names[i]!);
    const splits = lap.splits.map(({ sector, gap }, k) => {
      const isBest = laps.length > 1 && theoretical?.sectors[k]?.lap === i;
      const shown = sector === null ? "" : `${sector.toFixed(3)}${isBest ? "*" : ""}`;
      return `<td class="number${isBest ? " best" : ""}"${gap === null ? "" : ` title="gap ${signed(gap)} s"`}>${shown}</td>`;
    });
    const time =
      lap.seconds === null
        ? `${Math.floor((100 * lap.reached) / course.length)} % of it`
        : clockText(lap.seconds * 1e9);
    return `<tr><td class="number">${i + 1}</td><th scope="row" class="path">${name}</th><td>${begins}</td><td class="number">${time}</td><td class="number">${i === 0 || lap.gap.seconds === null ? "" : signed(lap.gap.seconds)}</td>${splits.join("")}</tr>`;
  });
  const more = laps.length > MOST_ROWS ? `<p class="dim">… and ${laps.length - MOST_ROWS} more</p>` : "";
  return `<div class="wide"><table><thead><tr>${head.map((title, i) => `<th${i > 2 ? ' class="number"' : ""}>${escaped(title)}</th>`).join("")}</tr></thead><tbody>${rows.join("")}</tbody></table></div>${more}`;
}

function theoreticalPart({ laps, theoretical, own }: Race, names: readonly string[], files: readonly string[]): string {
  if (theoretical === null || laps.length < 2) return "";
  const of = own.map(({ recording, set, id, theoretical: best }) => {
    const lap = laps.find((one) => one.recording === recording && one.set === set && one.id === id)!;
    return `<li>${escaped(nameOf(lap, files).replace(/ #\d+$/, ""))}: ${bestText(best, names)}</li>`;
  });
  return `<h2>Theoretical best</h2>\n<p>${bestText(theoretical, names)}</p>${of.length > 1 ? `\n<ul>${of.join("")}</ul>` : ""}`;
}

function bestText({ seconds, sectors }: TheoreticalBest, names: readonly string[]): string {
  const of = sectors.map(({ seconds: sector, lap }) => `${sector.toFixed(3)} of ${escaped(names[lap]!)}`);
  return `<b>${clockText(seconds * 1e9)}</b> <span class="dim">= ${of.join(" + ")}</span>`;
}

function curvesPart({ course, laps }: Race, names: readonly string[]): string {
  if (laps.length < 2) return "";
  const { length } = course;
  const splits = course.splits.slice(0, -1).flatMap(({ along }) => (along === null ? [] : [along / length]));
  const figures = laps.slice(1, 1 + MOST_CURVES).map((lap, i) => {
    const gaps = lap.curve.seconds.filter((gap) => gap !== null);
    // at its finish the leading lap may be farther ahead than at any place of the curve
    const metres = [...lap.curve.metres, lap.gap.metres].filter((gap) => gap !== null);
    const [least, most] = [Math.min(0, ...gaps), Math.max(0, ...gaps)];
    const name = names[i + 1]!;
    const label = `Gap of ${name} to ${names[0]!} along the course: ${signed(least)} to ${signed(most)} s`;
    const apart = metres.length === 0 ? "" : `, ${Math.max(0, ...metres).toFixed(1)} m behind at most`;
    return `<figure id="l${i + 1}"><figcaption><span class="path">${escaped(name)}</span> <span class="dim">${signed(least)} to ${signed(most)} s${apart}${stretches(lap)}</span></figcaption><div class="pair">${curveOf(lap.curve.seconds, splits, { least, most, label })}${mapOf(course.places, lap.curve.seconds, `Where ${name} lost and won time, from above`)}</div><p class="axis"><span>0 m</span><span>${length.toFixed(0)} m</span></p></figure>`;
  });
  return `<h2>Gap along the course</h2>\n<p class="dim">Up is behind. On the map <span class="lost-key">red</span> is where time was lost, <span class="won-key">green</span> where it was won; the dot is the beginning.</p>\n${figures.join("\n")}`;
}

function stretches({ lost, won }: RaceLap): string {
  const text = (all: readonly Stretch[], what: string): string =>
    all.length === 0
      ? ""
      : `; ${what} ${all.map(({ from, to, seconds }) => `${Math.abs(seconds).toFixed(2)} s at ${placesText(from, to)}`).join(", ")}`;
  return text(lost, "lost") + text(won, "won");
}

function placesText(from: number, to: number): string {
  const [first, last] = [from.toFixed(0), to.toFixed(0)];
  return `${first === last ? first : `${first}–${last}`} m`;
}

function signed(seconds: number): string {
  const text = Math.abs(seconds).toFixed(3);
  return `${text === "0.000" ? "±" : seconds < 0 ? "−" : "+"}${text}`;
}

const STYLE = `figure{margin:0 0 1.6rem}figcaption{margin-bottom:.3rem}
.pair{display:grid;grid-template-columns:minmax(0,3fr) minmax(0,1fr);gap:.8rem}
@media (max-width:40rem){.pair{grid-template-columns:minmax(0,1fr)}}
svg{display:block;width:100%;height:9rem;background:var(--panel)}
.base{stroke:var(--dim);vector-effect:non-scaling-stroke}.split{stroke:var(--line);vector-effect:non-scaling-stroke}
.curve{fill:none;stroke:var(--bars);stroke-width:1.8;vector-effect:non-scaling-stroke}
.way{fill:none;stroke-width:5;stroke-linecap:round;stroke-linejoin:round;opacity:.65}.much{opacity:1}
.level{stroke:var(--dim);opacity:.5}.unknown{stroke:var(--line)}
.lost{stroke:var(--bad)}.won{stroke:var(--good)}.begin{fill:var(--ink)}
tbody th{min-width:9rem}thead .number{white-space:normal;min-width:4rem}
.lost-key{color:var(--bad)}.won-key{color:var(--good)}.best{color:var(--good);font-weight:600}
`;
