import { clockText, escaped } from "./values/markup.ts";

/** What a report in one page is of. */
export interface ReportPage {
  readonly title: string;
  /** Markup inside of `main`. */
  readonly body: string;
  /** Style of its own, behind that of all reports. */
  readonly style: string;
}

/** A report as one page: no script, nothing from elsewhere, light and dark. */
export function reportPage({ title, body, style }: ReportPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)}</title>
<style>${STYLE}${style}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

/** A time that is shown so, and links to a moment of a page in which a recording plays; `thing`: what is selected there. */
export type TimeLink = (time: number, thing?: { readonly set: string; readonly id: number | string } | null) => string;

/** Times are links into the page of a viewer, which reads what is behind `#`; without an address they lead nowhere. */
export function linkTo(view: string | undefined): TimeLink {
  if (view === undefined) return (time) => `<time>${clockText(time)}</time>`;
  const base = view.replace(/#.*$/s, "");
  const isSafe = /^https?:\/\//i.test(base);
  return (time, thing = null) => {
    const kept = { t: time / 1e9, ...(thing === null ? {} : { selection: { kind: "thing", ...thing } }) };
    const shown = `<time>${clockText(time)}</time>`;
    return isSafe ? `<a href="${escaped(base)}#${encodeURIComponent(JSON.stringify(kept))}">${shown}</a>` : shown;
  };
}

/** The last part of a path or address, which is its name for people. */
export function nameOfPath(path: string): string {
  return (
    path
      .replace(/[?#].*$/s, "")
      .split("/")
      .findLast((part) => part !== "") ?? path
  );
}

const STYLE = `
:root{color-scheme:light dark;--ink:#1c2126;--dim:#5c6670;--ground:#fff;--panel:#f3f5f7;--line:#d8dde2;--bars:#2f6fb5;--first:#b3261e;--max:#8a5a00;--good:#1a6b3c;--bad:#b3261e;--link:#1d5fa8}
@media (prefers-color-scheme:dark){:root{--ink:#e6eaee;--dim:#9aa5b0;--ground:#14181c;--panel:#1d2329;--line:#343c44;--bars:#6aa7e8;--first:#ff8a80;--max:#e0b050;--good:#6fcf97;--bad:#ff8a80;--link:#8abdf2}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:62rem;overflow-x:clip;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.4rem;margin:.2rem 0 1rem;overflow-wrap:anywhere}h1 span{font-weight:400;color:var(--dim)}
h2{font-size:1.05rem;margin:2rem 0 .6rem}
a{color:var(--link)}
.dim,.dim td{color:var(--dim)}
.path,code{font-family:ui-monospace,monospace;font-size:.92em;overflow-wrap:anywhere}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.25rem .7rem .25rem 0;border-bottom:1px solid var(--line)}
thead th{color:var(--dim);font-weight:500}
.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
time{font-variant-numeric:tabular-nums;white-space:nowrap}
.axis{display:flex;justify-content:space-between;margin:.1rem 0 0;color:var(--dim);font-size:.85em}
@media print{figure{break-inside:avoid}}
`;
