import type { SqlErrorCode } from "./error.ts";

/** A match, and its groups. */
export type Parts = readonly string[];

/** A message of DuckDB, and how simtape says the same. */
export interface Pattern {
  /** Of a message of DuckDB without the kind in front of it, in one line. */
  readonly is: RegExp;
  readonly says: (parts: Parts) => string;
  readonly code?: SqlErrorCode;
  /** Which part of the match may be a constant of the statement. */
  readonly wrong?: number;
  readonly isPart?: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  ...{ INT8: "TINYINT", INT16: "SMALLINT", INT32: "INTEGER", INT64: "BIGINT", INT128: "HUGEINT" },
  ...{ UINT8: "UTINYINT", UINT16: "USMALLINT", UINT32: "UINTEGER", UINT64: "UBIGINT", UINT128: "UHUGEINT" },
  ...{ BOOL: "BOOLEAN", INTEGER_LITERAL: "INTEGER", STRING_LITERAL: "VARCHAR" },
};

/** Types as statements write them. */
export function typed(text: string): string {
  return text.replace(/\b\w+\b/g, (word) => TYPES[word] ?? word);
}

const MOST_LETTERS = 80;

/** A value of a row may be long. */
function short(text: string): string {
  return text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS)}…` : text;
}

/** ` of the column "label"`, or nothing. */
function ofColumn(column: string | undefined): string {
  return column === undefined ? "" : ` of the column "${column}"`;
}

const FROM_COLUMN = "(?: when casting from source column (.+))?$";
const CAST_HINT = "; try_cast gives null instead";
const UNITS = "year, quarter, month, week, day, hour, minute, second, millisecond, microsecond";
const SOME_TYPES = "BOOLEAN, INTEGER, BIGINT, DOUBLE, VARCHAR, DATE, TIME, TIMESTAMP, INTERVAL";

const NEAREST = '(?:.*Did you mean "(.+)"\\?)?';

function nearest(name: string | undefined): string {
  return name === undefined ? "" : `; the nearest is ${name}`;
}

/** The first that fits says it. */
export const PATTERNS: readonly Pattern[] = [
  // tables
  {
    is: /^Referenced table "(.+?)" not found!(?: Candidate tables: (.*))?$/,
    code: "no-table",
    says: ([, name, others]) =>
      `no table is called "${name}" where the statement names it${others === undefined ? "" : `; there are: ${others.replaceAll('"', "")}`}`,
  },
  {
    is: /^Table with name "?(.+?)"? does not exist because schema /,
    code: "no-table",
    says: ([, name]) => `no table "${name}"; tables of recordings have no schema`,
  },
  {
    is: /^(?:Catalog|Schema with name|Schema) "?(.+?)"? does not exist!/,
    code: "no-table",
    says: ([, name]) => `no schema "${name}"; tables of recordings have none`,
  },
  { is: /^Table with name (.+) does not exist!/, code: "no-table", says: ([, name]) => `no table "${name}"` },
  {
    is: /^Ambiguous reference to table "(.+?)"/,
    says: ([, name]) => `two tables are called ${name}; give one another name, as in FROM vehicles AS other_name`,
  },
  {
    is: /^table "(.+)" has (\d+) columns available but (\d+) columns specified/,
    says: ([, name, has, given]) =>
      `${name} has ${has === "1" ? "1 column" : `${has} columns`}, and the statement names ${given}`,
  },
  // functions
  {
    is: /"(.+)" is not in the catalog, a function by this name exists in .* namely (?:Scalar|Aggregate) Function/,
    says: ([, name]) => `${name} gives a value and no rows; it cannot stand in FROM`,
  },
  {
    is: /"(.+)" is not in the catalog, a function by this name exists/,
    says: ([, name]) => `${name} gives rows and no value; it stands in FROM`,
  },
  {
    is: /^(.*?)(?: with name)? "(.+)" is not in the catalog, but it exists in the (\S+) extension/,
    says: ([, , name, extension]) => `no "${name}"; it is of the extension ${extension} of DuckDB, which is not loaded`,
  },
  {
    is: new RegExp(`^Table Function with name (.+?) does not exist!${NEAREST}`),
    says: ([, name, near]) => `no function "${name}" that gives rows${nearest(near)}`,
  },
  {
    is: new RegExp(`^[A-Za-z ]*Function with name (.+?) does not exist!${NEAREST}`),
    says: ([, name, near]) => `no ${/\w/.test(name!) ? "function" : "operator"} "${name}"${nearest(near)}`,
  },
  {
    is: /^No function matches the given name and argument types '([A-Za-z_]\w*)\((.*)\)'\. You might/,
    says: ([, name, types]) => (types === "" ? `${name} needs arguments` : `${name} does not take (${typed(types!)})`),
  },
  {
    is: /^No function matches the given name and argument types '(\W+)\((.*)\)'\. You might/,
    says: ([, name, types]) => `no operator ${name} for ${typed(types!).split(", ").join(" and ")}`,
  },
  {
    is: /^Could not choose a best candidate function for the function call "([^(]+)\((.*)\)"/,
    says: ([, name, types]) => `${name} does not tell (${typed(types!)}) apart; a cast says what is meant`,
  },
  {
    is: /^Function "(.+)" is a Scalar Function\. /,
    code: "invalid",
    says: ([, name]) => `${name} is no aggregate; DISTINCT, FILTER and ORDER BY inside a function need one`,
  },
  {
    is: /^Type with name (.+?) does not exist!/,
    says: ([, name]) => `no type "${name}"; some are: ${SOME_TYPES}`,
  },
  {
    is: new RegExp(`^(Collation|Sequence|Setting) with name (.+?) does not exist!${NEAREST}`),
    says: ([, what, name, near]) => `no ${what!.toLowerCase()} "${name}"${nearest(near)}`,
  },
  { is: /^unrecognized configuration parameter "(.+?)"/, says: ([, name]) => `no setting "${name}"` },
  {
    is: /^Cannot access (file|directory) "(.*)" - file system operations are disabled/,
    says: ([, what, name]) => `a statement reads recordings and no ${what === "file" ? `files: ${name}` : "folders"}`,
  },
  // columns
  {
    is: /^Ambiguous reference to column name "(.+?)" \(use: (.*)\)/,
    says: ([, name, ways]) => `several tables have a column "${name}"; write ${ways!.replaceAll('"', "")}`,
  },
  {
    is: /^column "?(.+?)"? must appear in the GROUP BY clause/i,
    says: ([, name]) =>
      `the column "${name}" is not in GROUP BY, and in no aggregate; add it to GROUP BY, or write any_value(${name})`,
  },
  { is: /^GROUPING child "(.+)" must be/, says: ([, name]) => `the column "${name}" of GROUPING is not in GROUP BY` },
  {
    is: /^(GROUP BY|ORDER)(?: BY)? term out of range - should be between 1 and (\d+)/,
    says: ([, where, count]) =>
      `${where === "ORDER" ? "ORDER BY" : where} has the number of a column that the answer does not have; the last is ${count}`,
  },
  {
    is: /^Could not ORDER BY column "+(.+?)"+: /,
    says: ([, name]) => `ORDER BY behind UNION, INTERSECT or EXCEPT names "${name}", which is no column of the answer`,
  },
  {
    is: /^Set operations can only apply/,
    says: () => "the two sides of UNION, INTERSECT or EXCEPT have different numbers of columns",
  },
  { is: /^No columns found to join on in NATURAL JOIN/, says: () => "NATURAL JOIN: the tables share no column" },
  {
    is: /^Missing ASOF JOIN inequality/,
    says: () => "ASOF JOIN needs a comparison, as in ON a.id = b.id AND a.time >= b.time",
  },
  { is: /resulted in an empty set of columns/, says: () => "* or COLUMNS leaves no column" },
  {
    is: /^Subquery returns (\d+) columns - expected (\d+)/,
    says: ([, has, needs]) => `a subquery gives ${has} columns where ${needs} must be`,
  },
  {
    is: /^More than one row returned by a subquery/,
    says: () => "a subquery that stands for one value gives several rows; add an aggregate or LIMIT 1",
  },
  {
    is: /^Could not find key "(.+?)" in struct(?:.*Candidate Entries: (.*))?/,
    says: ([, name]) => `the value has no member "${name}"`,
  },
  {
    is: /^Cannot extract field '(.+?)' from expression "(.+?)" because/,
    says: ([, name, of]) => `${of} has no members, so there is no "${name}"`,
  },
  // clauses
  { is: /^window "(.+)" does not exist$/, says: ([, name]) => `no window "${name}"` },
  { is: /^Duplicate CTE name "(.+)"$/, says: ([, name]) => `two queries of WITH are called "${name}"` },
  {
    is: /^VALUES lists must all be the same length/,
    says: () => "the rows of VALUES have different numbers of columns",
  },
  { is: /^SELECT INTO not supported/, says: () => "SELECT INTO writes, and a statement can only read" },
  {
    is: /^DISTINCT is not implemented for non-aggregate window functions/,
    says: () => "DISTINCT needs an aggregate, also in a window",
  },
  {
    is: /^Max expression depth limit of (\d+) exceeded/,
    says: ([, depth]) => `the statement nests more than ${depth} levels`,
  },
  {
    is: /^(.+?) clause cannot contain aggregates/,
    says: ([, where]) =>
      `an aggregate cannot stand in ${where === "WHERE" ? "WHERE or ON; HAVING can have it" : where}`,
  },
  {
    is: /^(.+?) clause cannot contain window functions/,
    says: ([, where]) => `a window function cannot stand in ${where}; QUALIFY can have it`,
  },
  {
    is: /^(aggregate|window) function calls cannot be nested/,
    says: ([, what]) =>
      `${what === "window" ? "a window function" : "an aggregate"} cannot stand inside another; use a subquery in FROM`,
  },
  { is: /^UNNEST not supported here/, says: () => "UNNEST can stand in SELECT and FROM only" },
  {
    is: /^UNNEST\(\) can only be applied to lists, structs and NULL, not (.+)/,
    says: ([, type]) => `UNNEST needs a list, and not ${typed(type!)}`,
  },
  { is: /^LIMIT\/OFFSET cannot be negative/, says: () => "LIMIT and OFFSET cannot be negative" },
  // types
  {
    is: /^Cannot compare values of type (.+) and type (.+) - an explicit cast is required/,
    says: ([, left, right]) => `${typed(left!)} and ${typed(right!)} cannot be compared without a cast`,
  },
  {
    is: /^Cannot mix values of type (.+) and (.+) in (.+?)(?: operator| expression)? - an explicit cast is required/,
    says: ([, left, right, where]) => `${where}: ${typed(left!)} and ${typed(right!)} need a cast to one type`,
  },
  {
    is: /^Cannot deduce template type .*'(\w+)\(.*was inferred to be: - '(.+?)', .* - '(.+?)', which/,
    says: ([, name, left, right]) =>
      `${name === "list_value" ? "a list" : name}: ${typed(left!)} and ${typed(right!)} need a cast to one type`,
  },
  {
    is: new RegExp(`^Unimplemented type for cast \\((.+) -> (.+?)\\)${FROM_COLUMN}`),
    code: "invalid",
    says: ([, from, to, column]) => `${typed(from!)}${ofColumn(column)} cannot be converted to ${typed(to!)}`,
  },
  {
    is: new RegExp(`^Could not convert string ['"](.*)['"] to ([A-Z0-9_]+(?:\\(.*?\\))?)${FROM_COLUMN}`, "s"),
    wrong: 1,
    says: ([, text, type, column]) =>
      `the text '${short(text!)}'${ofColumn(column)} cannot be converted to ${type === "INT128" ? "HUGEINT or UUID" : typed(type!)}${column === undefined ? "" : CAST_HINT}`,
  },
  {
    is: new RegExp(`^Type (\\w+) with value (.+) can't be cast .* destination type (\\S+?)${FROM_COLUMN}`),
    says: ([, , value, type, column]) => `${short(value!)}${ofColumn(column)} is out of the range of ${typed(type!)}`,
  },
  {
    is: new RegExp(`^invalid (\\w+) field format: "(.*)", expected format is .*?\\)?${FROM_COLUMN}`, "s"),
    wrong: 2,
    says: ([, type, text, column]) =>
      `the text '${short(text!)}'${ofColumn(column)} is no ${type}; write ${type === "time" ? "HH:MM:SS" : "YYYY-MM-DD"}${type === "timestamp" ? " HH:MM:SS" : ""}`,
  },
  {
    is: new RegExp(`^(\\w+) field value out of range: "(.*?)"(?:, expected format is .*?\\))?${FROM_COLUMN}`, "s"),
    wrong: 2,
    says: ([, type, text, column]) => `the text '${short(text!)}'${ofColumn(column)} is no ${type} that exists`,
  },
  { is: /^Date out of range: (\S+)$/, says: ([, date]) => `${date} is no date that exists` },
  {
    is: new RegExp(`^Could not cast value (.+) to (\\S+?)${FROM_COLUMN}`),
    says: ([, value, type, column]) => `${short(value!)}${ofColumn(column)} is out of the range of ${typed(type!)}`,
  },
  {
    is: /^extract specifier "(.+)" not recognized/,
    wrong: 1,
    isPart: true,
    says: ([, name]) => `no unit of time "${name}"; there are: ${UNITS}`,
  },
  {
    is: /^Unknown TimeZone '(.+)'/,
    code: "failed",
    wrong: 1,
    says: ([, name]) => `no time zone '${short(name!)}'; write one as 'Europe/Berlin'`,
  },
  {
    is: /^Could not parse string "(.*?)" according to format specifier "(.*?)"/,
    says: ([, text, format]) => `the text '${short(text!)}' is not of the format '${format}'; try_strptime gives null`,
  },
  {
    is: /^Failed to parse format specifier (.+?): /,
    wrong: 1,
    says: ([, format]) => `no format of a time: '${format}'`,
  },
  {
    is: /^Invalid type specifier "(.+?)" for formatting a value of type (.+)/,
    code: "invalid",
    says: ([, specifier, type]) => `the format "${specifier}" does not take a ${type}`,
  },
  // values
  {
    is: /^(missing [\])]|unexpected \)|invalid escape sequence|invalid character class(?: range)?|trailing \\|no argument for repetition operator|invalid repetition size|bad repetition operator|invalid perl operator|invalid named capture group|invalid UTF-8)(?:: (.*))?$/s,
    wrong: 2,
    isPart: true,
    says: ([, what, part = ""]) =>
      `the regular expression is wrong: ${what}${part === "" ? "" : ` in '${short(part)}'`}`,
  },
  {
    is: /^Failed to compile regex "(.*)": (.+?): /s,
    says: ([, pattern, what]) => `the regular expression is wrong: ${what} in '${short(pattern!)}'`,
  },
  { is: /^Invalid escape string\. /, says: () => "ESCAPE takes one character" },
  {
    is: /^Unrecognized Regex option (.+)/i,
    wrong: 1,
    says: ([, option]) => `no option of regular expressions: '${option}'`,
  },
  {
    is: /^Overflow in \w+ of (\w+) \((.+)\)/,
    says: ([, type, sum]) => `${sum} is out of the range of ${typed(type!)}`,
  },
  {
    is: /^Malformed JSON at byte (\d+) of input: (.+?)\.\s+Input: "(.*?)"?$/s,
    wrong: 3,
    isPart: true,
    says: ([, byte, what, text]) => `'${short(text!)}' is no JSON: ${what}, at byte ${byte}`,
  },
  { is: /^JSON path error near '(.+)'/, says: ([, near]) => `the path into JSON is wrong near '${near}'` },
];
