import type { components, paths } from "./openapi.ts";

type Verb = "get" | "put" | "post" | "delete" | "patch";
type Operation = { readonly parameters: object; readonly responses: object };

/** The JSON shapes of the server, by name: `Shapes["Recording"]`. */
export type Shapes = components["schemas"];

/** An operation of the server, as a method and a path: `GET /api/recordings`. */
export type Route = {
  [P in keyof paths]: { [V in Verb]: paths[P][V] extends Operation ? `${Uppercase<V>} ${P}` : never }[Verb];
}[keyof paths];

type OperationOf<R extends Route> = R extends `${infer Method} ${infer P extends keyof paths}`
  ? paths[P][Lowercase<Method> & Verb]
  : never;

/** What a request has: `params` of the path, `query`, `body`, and what every request may have. */
export type AskedOf<R extends Route> = Part<"params", Parameters<R, "path">> &
  Part<"query", Parameters<R, "query">> &
  Body<R> & { readonly headers?: Readonly<Record<string, string>>; readonly signal?: AbortSignal | undefined };

/** The arguments of `ask` after the route: none are needed where nothing is required. */
export type Given<R extends Route> =
  Record<never, never> extends AskedOf<R> ? [asked?: AskedOf<R>] : [asked: AskedOf<R>];

/** JSON as its type, an empty answer as null, anything else as the `Response`. */
export type AnswerOf<R extends Route> =
  OperationOf<R> extends { readonly responses: infer Answers } ? Content<Answers[keyof Answers & Good]> : never;

type Good = 200 | 201 | 202 | 204 | 206;

type Parameters<R extends Route, Place extends "path" | "query"> =
  OperationOf<R> extends { readonly parameters: infer P extends { readonly [N in Place]?: unknown } }
    ? P[Place]
    : never;

/** A member of that name: none for what does not exist, an optional one for what may be left out. */
type Part<Name extends string, T> = [T] extends [undefined]
  ? unknown
  : undefined extends T
    ? { readonly [N in Name]?: Exclude<T, undefined> }
    : { readonly [N in Name]: T };

/** An operation that describes no body may take one all the same: bytes of a file, lines of a recorder. */
type Body<R extends Route> =
  OperationOf<R> extends { readonly requestBody: { readonly content: infer C } }
    ? { readonly body: C[keyof C] }
    : R extends `${"POST" | "PUT" | "PATCH"} ${string}`
      ? { readonly body?: RequestInit["body"] }
      : unknown;

type Content<Answer> = Answer extends { readonly content: infer C }
  ? C extends { readonly "application/json": infer Json }
    ? Json
    : Response
  : null;
