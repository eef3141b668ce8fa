import { createToken, type IToken, Lexer, type TokenType } from "./chevrotain.ts";

/** A part of an identifier behind its first letter: strokes are part of a name, `forward-speed`, unless a space follows. */
const NAME = /[A-Za-z_]\w*(?:-\w+)*/y;
const SEGMENT = String.raw`[\w*?:@$~-]+(?:\[\d+\])?`;
/** `vehicles/24/brake`, `vehicles/*`: names with strokes between them, and no space. */
const PATH = new RegExp(String.raw`[A-Za-z_]\w*(?:-\w+)*(?:\[\d+\])?(?:\/${SEGMENT})+`, "y");
/** `/position/altitude-ft`, where no operand is before it, which it would divide. */
const ROOTED = new RegExp(String.raw`(?:\/${SEGMENT})+`, "y");
const PART = String.raw`[A-Za-z°µμÅ%]+(?:[²³]|\^?[2-9](?!\d))?`;
const UNIT = new RegExp(String.raw`${PART}(?:\/${PART})*`, "y");

/** Words that are no names unless they stand behind a point. */
const RESERVED: readonly string[] = [
  ...["and", "or", "not", "for", "within", "of", "after", "before", "in", "as", "any", "all", "each", "count"],
  ...["true", "false"],
];

function matched(pattern: RegExp, text: string, offset: number): RegExpExecArray | null {
  pattern.lastIndex = offset;
  return pattern.exec(text);
}

/** Any word: names and keywords. Behind a point every word is a name. */
export const Word: TokenType = createToken({ name: "Word", pattern: Lexer.NA, label: "a name" });

function keyword(name: string): TokenType {
  const pattern = new RegExp(String.raw`${name}(?![\w-])`);
  return createToken({ name: `Keyword-${name}`, label: name, pattern, categories: [Word], longer_alt: Name });
}

export const Name: TokenType = createToken({
  name: "Name",
  label: "a name",
  pattern: (text, offset) => matched(NAME, text, offset),
  line_breaks: false,
  categories: [Word],
});
export const Path: TokenType = createToken({
  name: "Path",
  label: "a path",
  pattern: (text, offset, tokens) => {
    const before = tokens.at(-1);
    if (text[offset] === "/") return isOperand(before) ? null : matched(ROOTED, text, offset);
    return before?.tokenType === Dot || before?.tokenType === NumberToken ? null : matched(PATH, text, offset);
  },
  line_breaks: false,
});
export const Quoted: TokenType = createToken({ name: "Quoted", label: "a path in backquotes", pattern: /`[^`\n]*`/ });
export const Text: TokenType = createToken({
  name: "Text",
  label: "a text",
  pattern: /"(?:[^"\\\n]|\\[\\"'nt])*"|'(?:[^'\\\n]|\\[\\"'nt])*'/,
});
export const NumberToken: TokenType = createToken({
  name: "Number",
  label: "a number",
  pattern: /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/,
});
export const UnitToken: TokenType = createToken({
  name: "Unit",
  label: "a unit",
  pattern: (text, offset, tokens) => {
    const before = tokens.at(-1)?.tokenType;
    if (before !== NumberToken && before !== In) return null;
    const found = matched(UNIT, text, offset);
    return found === null || RESERVED.includes(found[0]) ? null : found;
  },
  line_breaks: false,
});
export const And: TokenType = keyword("and");
export const Or: TokenType = keyword("or");
export const Not: TokenType = keyword("not");
export const For: TokenType = keyword("for");
export const Within: TokenType = keyword("within");
export const Of: TokenType = keyword("of");
export const After: TokenType = keyword("after");
export const Before: TokenType = keyword("before");
export const In: TokenType = keyword("in");
export const As: TokenType = keyword("as");
export const Any: TokenType = keyword("any");
export const All: TokenType = keyword("all");
export const Each: TokenType = keyword("each");
export const Count: TokenType = keyword("count");
export const True: TokenType = keyword("true");
export const False: TokenType = keyword("false");
/** Words that are functions before a parenthesis, and go through things before a set. */
export const Most: TokenType = createToken({
  name: "Most",
  label: "min, max or sum",
  pattern: /(?:min|max|sum)(?![\w-])/,
  categories: [Word],
  longer_alt: Name,
});
export const Compare: TokenType = createToken({
  name: "Compare",
  label: "a comparison",
  pattern: /<=|>=|==|!=|<|>|=|~/,
});
export const Plus: TokenType = createToken({ name: "Plus", label: "+", pattern: /\+/ });
export const Minus: TokenType = createToken({ name: "Minus", label: "-", pattern: /-/ });
export const Star: TokenType = createToken({ name: "Star", label: "*", pattern: /\*/ });
export const Slash: TokenType = createToken({ name: "Slash", label: "/", pattern: /\// });
export const Dot: TokenType = createToken({ name: "Dot", label: ".", pattern: /\./ });
export const Comma: TokenType = createToken({ name: "Comma", label: ",", pattern: /,/ });
export const Open: TokenType = createToken({ name: "Open", label: "(", pattern: /\(/ });
export const Close: TokenType = createToken({ name: "Close", label: ")", pattern: /\)/ });
export const OpenIndex: TokenType = createToken({ name: "OpenIndex", label: "[", pattern: /\[/ });
export const CloseIndex: TokenType = createToken({ name: "CloseIndex", label: "]", pattern: /\]/ });
const Space: TokenType = createToken({ name: "Space", pattern: /[ \t\r\n]+/, group: Lexer.SKIPPED, line_breaks: true });

/** In the order in which they are tried. */
export const TOKENS: readonly TokenType[] = [
  ...[Space, UnitToken, Path, And, Or, Not, For, Within, Of, After, Before, In, As, Any, All, Each, Count, True, False],
  ...[Most, Name, NumberToken, Text, Quoted, Compare, Plus, Minus, Star, Slash, Dot, Comma, Open, Close],
  ...[OpenIndex, CloseIndex, Word],
];

function isOperand(token: IToken | undefined): boolean {
  if (token === undefined) return false;
  const types = [Name, Most, NumberToken, UnitToken, Text, Quoted, Path, Close, CloseIndex, True, False];
  return types.includes(token.tokenType);
}
