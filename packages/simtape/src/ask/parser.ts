import { EmbeddedActionsParser, type IToken, Lexer, type ParserMethod, type TokenType } from "./chevrotain.ts";
import type { Ast, AstUnit, Quantifier, TwoOperator } from "./ast.ts";
import { AskError, type Place } from "./error.ts";
import * as t from "./tokens.ts";

/** UTF-16 units, tokens, and parentheses within each other that an expression has at most. */
const MOST_TEXT = 8192;
const MOST_TOKENS = 1024;
const MOST_DEPTH = 48;

/** Chevrotain's parser of the grammar in docs/ask.md. It reads tokens at run time: no code is generated. */
class ExpressionParser extends EmbeddedActionsParser {
  /** Rules are methods of the instance, because chevrotain records each as it is defined; those used come first. */
  readonly query: ParserMethod<[], Ast>;

  constructor(isChecked: boolean) {
    super([...t.TOKENS], { recoveryEnabled: false, maxLookahead: 2, skipValidations: !isChecked });
    // rules are recorded when all are defined, so that those before it can use it
    const nested = (): Ast => this.SUBRULE(this.query);
    const unit = this.RULE("unit", (): AstUnit => {
      const token = this.CONSUME(t.UnitToken);
      return { text: token.image, ...placeOf(token) };
    });
    const number = this.RULE("number", (): Ast => {
      const token = this.CONSUME(t.NumberToken);
      const found = this.OPTION(() => this.SUBRULE(unit)) ?? null;
      const value = Number(token.image);
      return { kind: "number", value, unit: found, ...spanning(placeOf(token), found) };
    });
    const id = this.RULE("id", (): number | string =>
      this.OR<number | string>([
        { ALT: () => Number(this.CONSUME(t.NumberToken).image) },
        {
          ALT: () => {
            this.CONSUME(t.Minus);
            return -Number(this.CONSUME2(t.NumberToken).image);
          },
        },
        { ALT: () => textOf(this.CONSUME(t.Text).image) },
        { ALT: () => this.CONSUME(t.Star).image },
        { ALT: () => this.CONSUME(t.Word).image },
      ]),
    );
    const name = this.RULE(
      "name",
      (): Ast =>
        this.OR<Ast>([
          { ALT: () => nameOf(this.CONSUME(t.Name)) },
          { ALT: () => nameOf(this.CONSUME(t.Path)) },
          { ALT: () => nameOf(this.CONSUME(t.Quoted)) },
        ]),
    );
    const step = this.RULE(
      "step",
      (): Step =>
        this.OR<Step>([
          {
            ALT: () => {
              this.CONSUME(t.Dot);
              const token = this.CONSUME(t.Word);
              return { name: token.image, ids: [], place: placeOf(token) };
            },
          },
          {
            ALT: () => {
              this.CONSUME(t.OpenIndex);
              const ids: (number | string)[] = [];
              this.AT_LEAST_ONE_SEP({ SEP: t.Comma, DEF: () => void ids.push(this.SUBRULE(id)) });
              return { name: null, ids, place: placeOf(this.CONSUME(t.CloseIndex)) };
            },
          },
        ]),
    );
    const collection = this.RULE("collection", (): Ast => {
      let found = this.SUBRULE(name);
      this.MANY(() => {
        const next = this.SUBRULE(step);
        found = this.ACTION(() => stepped(found, next));
      });
      return found;
    });
    const each = this.RULE("each", (): Ast => {
      const token = this.OR<IToken>([
        { ALT: () => this.CONSUME(t.Any) },
        { ALT: () => this.CONSUME(t.All) },
        { ALT: () => this.CONSUME(t.Each) },
        { ALT: () => this.CONSUME(t.Count) },
        { ALT: () => this.CONSUME(t.Most) },
      ]);
      const of = this.SUBRULE(collection);
      const called =
        this.OPTION(() => {
          this.CONSUME(t.As);
          return this.CONSUME(t.Name).image;
        }) ?? null;
      let body: Ast | null = null;
      let end: Place = of;
      this.OPTION2(() => {
        this.CONSUME(t.Open);
        body = nested();
        end = placeOf(this.CONSUME(t.Close));
      });
      return this.ACTION(() => {
        const place = spanning(placeOf(token), end);
        return { kind: "each", quantifier: token.image as Quantifier, of, name: called, body, ...place };
      });
    });
    const call = this.RULE("call", (): Ast => {
      const token = this.OR<IToken>([{ ALT: () => this.CONSUME(t.Name) }, { ALT: () => this.CONSUME(t.Most) }]);
      const inputs: Ast[] = [];
      this.CONSUME(t.Open);
      this.MANY_SEP({ SEP: t.Comma, DEF: () => void inputs.push(nested()) });
      const close = this.CONSUME(t.Close);
      return this.ACTION(() => {
        const place = spanning(placeOf(token), placeOf(close));
        if (token.image === "event") return eventOf(inputs, place);
        return { kind: "call", name: token.image, inputs, ...place };
      });
    });
    const primary = this.RULE(
      "primary",
      (): Ast =>
        this.OR<Ast>([
          { ALT: () => this.SUBRULE(number) },
          {
            ALT: () => {
              const token = this.CONSUME(t.Text);
              return { kind: "text", text: textOf(token.image), ...placeOf(token) };
            },
          },
          { ALT: () => ({ kind: "boolean", value: true, ...placeOf(this.CONSUME(t.True)) }) },
          { ALT: () => ({ kind: "boolean", value: false, ...placeOf(this.CONSUME(t.False)) }) },
          {
            ALT: () => {
              const open = this.CONSUME(t.Open);
              const inner = nested();
              const close = this.CONSUME(t.Close);
              return { ...inner, ...spanning(placeOf(open), placeOf(close)) };
            },
          },
          { ALT: () => this.SUBRULE(call) },
          { ALT: () => this.SUBRULE(each) },
          { ALT: () => this.SUBRULE(name) },
        ]),
    );
    const operand = this.RULE("operand", (): Ast => {
      let found = this.SUBRULE(primary);
      this.MANY(() => {
        const next = this.SUBRULE(step);
        found = this.ACTION(() => stepped(found, next));
      });
      this.OPTION(() => {
        this.CONSUME(t.In);
        const into = this.SUBRULE(unit);
        found = { kind: "in", input: found, unit: into, ...spanning(found, into) };
      });
      return found;
    });
    const signed = this.RULE("signed", (): Ast => {
      const signs: IToken[] = [];
      this.MANY(() => void signs.push(this.CONSUME(t.Minus)));
      return prefixed("-", signs, this.SUBRULE(operand));
    });
    const product = this.RULE("product", (): Ast => {
      let left = this.SUBRULE(signed);
      this.MANY(() => {
        const token = this.OR<IToken>([{ ALT: () => this.CONSUME(t.Star) }, { ALT: () => this.CONSUME(t.Slash) }]);
        left = two(left, token, this.SUBRULE2(signed));
      });
      return left;
    });
    const total = this.RULE("total", (): Ast => {
      let left = this.SUBRULE(product);
      this.MANY(() => {
        const token = this.OR<IToken>([{ ALT: () => this.CONSUME(t.Plus) }, { ALT: () => this.CONSUME(t.Minus) }]);
        left = two(left, token, this.SUBRULE2(product));
      });
      return left;
    });
    const comparison = this.RULE("comparison", (): Ast => {
      const nots: IToken[] = [];
      this.MANY(() => void nots.push(this.CONSUME(t.Not)));
      let found = this.SUBRULE(total);
      this.OPTION(() => {
        const token = this.CONSUME(t.Compare);
        found = two(found, token, this.SUBRULE2(total));
      });
      return prefixed("not", nots, found);
    });
    const both = this.RULE("both", (): Ast => {
      let left = this.SUBRULE(comparison);
      this.MANY(() => {
        const token = this.CONSUME(t.And);
        left = two(left, token, this.SUBRULE2(comparison));
      });
      return left;
    });
    const either = this.RULE("either", (): Ast => {
      let left = this.SUBRULE(both);
      this.MANY(() => {
        const token = this.CONSUME(t.Or);
        left = two(left, token, this.SUBRULE2(both));
      });
      return left;
    });
    this.query = this.RULE("query", (): Ast => {
      let input = this.SUBRULE(either);
      this.MANY(() => {
        input = this.OR<Ast>([
          {
            ALT: () => {
              this.CONSUME(t.For);
              const time = this.SUBRULE(total);
              return { kind: "timed", how: "for", input, time, other: null, ...spanning(input, time) };
            },
          },
          {
            ALT: () => {
              this.CONSUME(t.Within);
              const time = this.SUBRULE2(total);
              const how = this.OR2<IToken>([
                { ALT: () => this.CONSUME(t.Of) },
                { ALT: () => this.CONSUME(t.After) },
                { ALT: () => this.CONSUME(t.Before) },
              ]).image as "of" | "after" | "before";
              const other = this.SUBRULE(comparison);
              return { kind: "timed", how, input, time, other, ...spanning(input, other) };
            },
          },
        ]);
      });
      return input;
    });
    this.performSelfAnalysis();
  }
}

/** Behind an operand: `.name` or `[ids]`. */
interface Step {
  readonly name: string | null;
  readonly ids: readonly (number | string)[];
  readonly place: Place;
}

function stepped(of: Ast, { name, ids, place }: Step): Ast {
  const all = spanning(of, place);
  return name === null ? { kind: "index", of, ids, ...all } : { kind: "member", of, name, ...all };
}

let known: { readonly lexer: Lexer; readonly parser: ExpressionParser } | null = null;

/** Made when the first expression is parsed, without the checks of `checkGrammar`, which take longer than a question. */
function tools(): { readonly lexer: Lexer; readonly parser: ExpressionParser } {
  known ??= made(false);
  return known;
}

function made(isChecked: boolean): { readonly lexer: Lexer; readonly parser: ExpressionParser } {
  const options = { positionTracking: "onlyOffset", ensureOptimizations: false, skipValidations: !isChecked } as const;
  return { lexer: new Lexer([...t.TOKENS], options), parser: new ExpressionParser(isChecked) };
}

/** Throws for tokens or rules that the library finds ambiguous or wrong. */
export function checkGrammar(): void {
  made(true);
}

/** The expression that a text is. Throws `AskError`, code `syntax` or `limit`. */
export function parse(text: string): Ast {
  const tokens = tokensOf(text);
  const { parser } = tools();
  parser.input = tokens;
  const ast = parser.query();
  const [error] = parser.errors;
  if (error === undefined) return ast;
  const at = error.token.tokenType.name === "EOF" ? tokens.length : tokens.indexOf(error.token);
  const place = at < 0 || at === tokens.length ? { offset: text.trimEnd().length, length: 1 } : placeOf(tokens[at]!);
  throw new AskError("syntax", problemAt(tokens, at < 0 ? tokens.length : at), place);
}

/** What may follow `tokens`, by the grammar. */
export function nextOf(tokens: readonly IToken[]): readonly TokenType[] {
  const found = tools().parser.computeContentAssist("query", [...tokens]);
  return [...new Set(found.map(({ nextTokenType }) => nextTokenType))];
}

/** Throws `AskError` for what is no token, and for too much. */
export function tokensOf(text: string): IToken[] {
  if (text.length > MOST_TEXT) {
    const place = { offset: MOST_TEXT, length: 1 };
    throw new AskError("limit", `an expression has at most ${MOST_TEXT} characters, not ${text.length}`, place);
  }
  const { tokens, errors } = tools().lexer.tokenize(text);
  const [error] = errors;
  if (error !== undefined) {
    const place = { offset: error.offset, length: error.length };
    const quote = /["'`]/.test(text[error.offset]!) ? "a text that does not end" : null;
    throw new AskError("syntax", quote ?? `${quoted(text[error.offset]!)} has no meaning here`, place);
  }
  if (tokens.length > MOST_TOKENS)
    throw new AskError(
      "limit",
      `an expression has at most ${MOST_TOKENS} words and signs`,
      placeOf(tokens[MOST_TOKENS]!),
    );
  let depth = 0;
  for (const token of tokens) {
    if (token.tokenType === t.Open || token.tokenType === t.OpenIndex) depth++;
    if (token.tokenType === t.Close || token.tokenType === t.CloseIndex) depth--;
    if (depth > MOST_DEPTH)
      throw new AskError("limit", `more than ${MOST_DEPTH} parentheses within each other`, placeOf(token));
  }
  return tokens;
}

function problemAt(tokens: readonly IToken[], at: number): string {
  const before = tokens.slice(0, at);
  const wanted = [...new Set(nextOf(before).map((type) => type.LABEL ?? type.name))];
  const found = tokens[at];
  const last = before.at(-1)?.tokenType;
  if (before.some(({ tokenType }) => tokenType === t.For || tokenType === t.Within)) {
    if (found?.tokenType === t.And || found?.tokenType === t.Or)
      return `"for" and "within" take all that is before them: put parentheses about one side of "${found.image}"`;
  }
  if (found?.tokenType === t.Compare && last !== undefined && wanted.every((label) => label !== found.tokenType.LABEL))
    return `only one comparison at a time: write "a < b and b < c"`;
  const here = found === undefined ? "the end" : quoted(found.image);
  if (wanted.length === 0) return `${here} has no meaning here`;
  const most = wanted.length > 8 ? [...wanted.slice(0, 8), "…"] : wanted;
  return `${here} has no meaning here, where one of these could be: ${most.join(", ")}`;
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 32 ? `${text.slice(0, 31)}…` : text);
}

function placeOf(token: IToken): Place {
  return { offset: token.startOffset, length: token.image.length };
}

/** While the grammar is recorded, parts of it are undefined. */
function spanning(from: Place | undefined, to: Place | null | undefined): Place {
  if (from === undefined) return NOWHERE;
  if (to === null || to === undefined) return { offset: from.offset, length: from.length };
  const end = Math.max(from.offset + from.length, to.offset + to.length);
  return { offset: from.offset, length: end - from.offset };
}

const NOWHERE: Place = { offset: 0, length: 0 };

function two(left: Ast, token: IToken, right: Ast): Ast {
  const operator = (token.image === "==" ? "=" : token.image) as TwoOperator;
  return { kind: "two", operator, left, right, ...spanning(left, right) };
}

/** An even number of signs is none. */
function prefixed(operator: "not" | "-", signs: readonly IToken[], input: Ast): Ast {
  if (signs.length === 0) return input;
  const place = spanning(placeOf(signs[0]!), input);
  const once: Ast = { kind: "one", operator, input, ...place };
  return signs.length % 2 === 1 ? once : { kind: "one", operator, input: once, ...place };
}

function nameOf(token: IToken): Ast {
  const isQuoted = token.tokenType === t.Quoted;
  return { kind: "name", text: isQuoted ? token.image.slice(1, -1) : token.image, isQuoted, ...placeOf(token) };
}

function textOf(image: string): string {
  return image.slice(1, -1).replace(/\\(.)/g, (_, sign: string) => ({ n: "\n", t: "\t" })[sign] ?? sign);
}

/** `event(kind)`, `event(kind, who)`: the kind is a word, a path or a text; none, or `"*"`, is any. */
function eventOf([kind, who, ...more]: readonly Ast[], place: Place): Ast {
  if (more.length > 0) throw new AskError("syntax", "event takes a kind, and a participant", more[0]!);
  if (kind === undefined) return { kind: "event", name: null, who: null, ...place };
  if (kind.kind !== "name" && kind.kind !== "text")
    throw new AskError("syntax", "the kind of an event is a word or a text", kind);
  return { kind: "event", name: kind.text === "*" ? null : kind.text, who: who ?? null, ...place };
}
