/** Words that make a sentence vague or old, and what to write in their place. */
const AVOIDED: ReadonlyMap<string, string> = new Map([
  ["somebody", "the user, the caller, another process"],
  ["someone", "the user, the caller, another process"],
  ["anybody", "any program, any user"],
  ["anyone", "any program, any user"],
  ["nobody", "no program; or say what is not done"],
  ["everybody", "all clients, all listeners"],
  ["everyone", "all clients, all listeners"],
  ["whoever", "the caller, the reader, a program that"],
  ["told", "said, given, reported, distinguished"],
  ["anew", "again, from the start"],
  ["lest", "so that … not"],
  ["thereof", "of it"],
  ["whereby", "by which"],
]);

const WORDS = new RegExp(String.raw`\b(?:${[...AVOIDED.keys()].join("|")})\b`, "gi");

/** A sentence for each word of a text that is to be avoided. Words in \`code\` do not count. */
export function avoidedIn(text: string): string[] {
  const plain = text.replace(/`[^`\n]*`/g, (code) => " ".repeat(code.length));
  return [...plain.matchAll(WORDS)].map(({ 0: word, index }) => {
    const line = plain.slice(0, index).split("\n").length;
    return `line ${line}: "${word}"; write ${AVOIDED.get(word.toLowerCase())}`;
  });
}

/** The comments and texts of a source file, at their lines; all else is white space. */
export function proseOf(source: string): string {
  const blank = (text: string) => text.replace(/[^\n]/g, " ");
  let prose = "";
  let end = 0;
  for (const { 0: found, index } of source.matchAll(TOKEN)) {
    prose += blank(source.slice(end, index));
    prose += found.startsWith("`")
      ? found
          .slice(1, -1)
          .replace(/\$\{[^}]*\}/g, blank)
          .padEnd(found.length)
      : found;
    end = index + found.length;
  }
  return prose + blank(source.slice(end));
}

/** A comment, a text in quotes, or a template without another one inside. A slash in a text begins no comment. */
const TOKEN = /\/\*[\s\S]*?\*\/|(?<![:\\/])\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g;
