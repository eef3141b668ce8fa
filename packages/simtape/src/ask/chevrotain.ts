/** What the parser is made with. What is built has these parts of the library in this place, in one file. */
export {
  createToken,
  EmbeddedActionsParser,
  type IToken,
  Lexer,
  type ParserMethod,
  type TokenType,
} from "chevrotain";
