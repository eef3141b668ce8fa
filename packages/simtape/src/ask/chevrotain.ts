/** What the parser is made with. What is built has the library itself in this place, in one file. */
export {
  createToken,
  EmbeddedActionsParser,
  type IToken,
  Lexer,
  type ParserMethod,
  type TokenType,
} from "chevrotain";
