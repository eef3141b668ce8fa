import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** As much of OpenAPI 3.1 as the server uses. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Route>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Route {
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly description?: string;
}

const BIOME = fileURLToPath(new URL("../node_modules/.bin/biome", import.meta.url));

/** The source of the types of every route, formatted. Left out is what has no content to give: HEAD, OPTIONS, WebSockets. */
export function clientTypes({ paths, components }: Document): string {
  const shapes = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `${comment(schema.description ?? `What the server calls ${name}.`)}export interface ${name} ${membersOf(schema)}`,
  );
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method, { responses }]) => !["head", "options"].includes(method) && responses["101"] === undefined)
      .map(([method, route]) => routeOf(`${method.toUpperCase()} ${path}`, route)),
  );
  const source = [
    "/** Made by `npm run client` of what the server says at `/openapi.json`. */",
    ...shapes,
    `/** Every route, with what it takes and what it answers. */\nexport interface Routes {\n${routes.join("\n")}\n}`,
  ].join("\n\n");
  const { stdout, status, stderr } = spawnSync(BIOME, ["format", "--stdin-file-path=routes.ts"], {
    input: source,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

function routeOf(name: string, { summary, description, parameters = [], requestBody, responses }: Route): string {
  const of = (place: string): readonly Parameter[] => parameters.filter((parameter) => parameter.in === place);
  const isChange = /^(POST|PUT|PATCH) /.test(name);
  const bodies = Object.values(requestBody?.content ?? {}).map(({ schema }) => typeOf(schema));
  return [
    `/** ${clean(`${summary}. ${description ?? "For all."}`)} */`,
    `readonly ${JSON.stringify(name)}: {`,
    parametersOf("params", of("path")),
    parametersOf("query", of("query")),
    bodies.length > 0
      ? `readonly body: ${bodies.join(" | ")};`
      : isChange
        ? 'readonly body?: RequestInit["body"];'
        : "",
    `readonly answer: ${answerOf(responses)};`,
    "};",
  ].join("\n");
}

function parametersOf(name: string, parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return "";
  const members = parameters.map(
    ({ name: member, required = false, schema, description }) =>
      `${comment(description ?? schema.description)}readonly ${keyOf(member)}${required ? ":" : "?:"} ${typeOf(schema)};`,
  );
  const isNeeded = parameters.some(({ required }) => required === true);
  return `readonly ${name}${isNeeded ? ":" : "?:"} {\n${members.join("\n")}\n};`;
}

/** JSON as its type; what is not JSON as the response, to be read as it comes. */
function answerOf(responses: Route["responses"]): string {
  const good = Object.entries(responses).filter(([status]) => status.startsWith("2"));
  const types = good.map(([, { content }]) => {
    if (content === undefined) return "null";
    const json = content["application/json"];
    return json === undefined ? "Response" : typeOf(json.schema);
  });
  return [...new Set(types)].join(" | ") || "null";
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1)!;
  if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(" | ");
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(" | ");
  if (typeof schema.type === "object") return schema.type.map((type) => typeOf({ ...schema, type })).join(" | ");
  switch (schema.type) {
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    case "number":
    case "integer":
      return "number";
    case "array":
      return `readonly (${typeOf(schema.items ?? {})})[]`;
    case "object":
      return membersOf(schema);
    default:
      return "unknown";
  }
}

function membersOf({ properties = {}, required = [], additionalProperties, patternProperties = {} }: Schema): string {
  const [more] = Object.values(patternProperties);
  const rest = more ?? (typeof additionalProperties === "object" ? additionalProperties : undefined);
  if (Object.keys(properties).length === 0 && rest !== undefined) return `Readonly<Record<string, ${typeOf(rest)}>>`;
  const members = Object.entries(properties).map(
    ([name, schema]) =>
      `${comment(schema.description)}readonly ${keyOf(name)}${required.includes(name) ? ":" : "?:"} ${typeOf(schema)};`,
  );
  if (rest !== undefined || additionalProperties === true) members.push("readonly [name: string]: unknown;");
  return `{\n${members.join("\n")}\n}`;
}

function keyOf(name: string): string {
  return /^[a-z_$][\w$]*$/i.test(name) ? name : JSON.stringify(name);
}

function comment(text: string | undefined): string {
  return text === undefined ? "" : `/** ${clean(text)} */\n`;
}

/** A comment that it cannot end. */
function clean(text: string): string {
  return text.replaceAll("*/", "*\\/").replaceAll("\n", " ");
}
