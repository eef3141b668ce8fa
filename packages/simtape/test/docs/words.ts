/** Words and phrases, as regular expressions without groups that capture, and what to write in their place. */
type Dictionary = ReadonlyMap<string, string>;

/** What makes a sentence vague or old, anywhere. */
export const AVOIDED: Dictionary = new Map([
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
  ["(?:here|there)(?:by|in)|where(?:in|of|upon)", "by this, in it, of which; or a new sentence"],
  ["hence|thence|whence|hither|thither", "so, from there, from where, here, there"],
  ["albeit|whilst|amongst|nought|naught", "although, while, among, nothing"],
  ["nothing comes of", "that receives nothing"],
  ["no longer so", "what has changed"],
  ["of another's", "the noun: of another user, of another recording"],
  ["(?:is|are) had", "the verb: the reader folds it, the server stores it"],
  ["held against", "compared with, checked against"],
  ["taken away", "removed, deleted, with the actor"],
  ["made good", "repaired"],
]);

/** What leaves open who does what to what. Pages for users are without. */
export const ODD: Dictionary = new Map([
  ["by itself", "the actor: the server finds, the client reconnects"],
  ["go(?:es)? on", "continue"],
  ["go(?:es)? away", "is removed, is deleted, ends"],
  ["lets? go of", "release"],
  ["(?:is|are) said", "the page shows, the command reports"],
  ["(?:is|are) over", "ends, has ended"],
  ["(?:is|are) none", "is no …, does not exist"],
  ["what (?:came|comes)", "the data that the sender sent; the next line"],
  ["what is (?:there|gone|lost|said)", "the noun: the files, the lost messages"],
  ["of which (?:all|nothing|none)", "a second sentence with the noun as its subject"],
  ["nothing of it", "none of its messages, none of its files"],
  ["where there is one", "if it exists, if there is one"],
  ["ends? in order", "shuts down"],
  ["(?:is|are) passed over", "is skipped"],
  ["put right", "corrected"],
  ["to be had", "missing, cannot be loaded"],
  ["as ever", "unchanged, as before"],
  ["a while", "the time: a minute, until the server has started"],
]);

/** What names in the code do not say, or say of people: the parts of names, as `#isTold` has `is` and `told`. */
export const NAMES: Dictionary = new Map([
  ["told", "reported, recorded, update"],
  ["patience", "timeout, the wait that it is"],
  ["fates?|hurry|hurried|hopeless|nursery", "what happens: the step, too fast, damaged"],
  ["confront", "compare, check"],
  ["truths?", "boolean, condition"],
]);

/** A sentence for each word or phrase of a text that is to be avoided. Words in \`code\` do not count. */
export function avoidedIn(text: string, dictionary = AVOIDED): string[] {
  const plain = text.replace(/`[^`\n]*`/g, (code) => " ".repeat(code.length));
  const advice = [...dictionary.values()];
  return [...plain.matchAll(matcherOf(dictionary))].map(({ 0: phrase, index, ...groups }) => {
    const line = plain.slice(0, index).split("\n").length;
    const entry = advice.findIndex((_, i) => (groups as Record<number, string | undefined>)[i + 1] !== undefined);
    return `line ${line}: "${phrase}"; write ${advice[entry]}`;
  });
}

/** One group for each entry. */
function matcherOf(dictionary: Dictionary): RegExp {
  const entries = [...dictionary.keys()].map((entry) => String.raw`\b(${entry.replaceAll(" ", String.raw`\s+`)})\b`);
  return new RegExp(entries.join("|"), "gi");
}

/** The comments and texts of a source file, at their lines; all else is white space. */
export function proseOf(source: string): string {
  const blank = (text: string) => text.replace(/[^\n]/g, " ");
  let prose = "";
  let end = 0;
  for (const { 0: found, index } of source.matchAll(TOKEN)) {
    prose += blank(source.slice(end, index));
    prose += found.startsWith("`") ? ` ${found.slice(1, -1).replace(/\$\{[^}]*\}/g, blank)} ` : found;
    end = index + found.length;
  }
  return prose + blank(source.slice(end));
}

/** The code of a source file without its comments and texts, at the same lines. */
export function codeOf(source: string): string {
  const prose = proseOf(source);
  return source.replace(/\S/g, (letter, at: number) => (prose[at] === letter || letter === "`" ? " " : letter));
}

/** The same with the names in their parts. */
export function namePartsOf(source: string): string {
  return partsOf(codeOf(source));
}

/** A text with all names in their parts. */
export function partsOf(text: string): string {
  return text.replace(/(?<=[a-z0-9])(?=[A-Z])|_/g, " ");
}

/** A comment, a text in quotes, or a template without another one inside. A slash in a text begins no comment. */
const TOKEN = /\/\*[\s\S]*?\*\/|(?<![:\\/])\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g;
