import ajv from "@fastify/ajv-compiler";
import fastJson from "@fastify/fast-json-stringify-compiler";
import type { FastifyServerOptions } from "fastify";

type Factories = NonNullable<NonNullable<FastifyServerOptions["schemaController"]>["compilersFactory"]>;
/**
 * Takes the schemas of an application and options, and makes a compiler: a function from the schema of a route to the
 * compiled function.
 */
type Build<F> = (schemas: unknown, options: unknown) => (route: unknown) => F;

/**
 * Validators and serializers of the routes, each compiled when it is first needed. There are hundreds of them, and
 * compiling all takes as long as the rest of the server's start.
 */
export const ON_USE = {
  buildValidator: validatorsOnUse(),
  buildSerializer: serializersOnUse(),
} as unknown as Factories;

function validatorsOnUse(): Build<Validator> {
  const build = ajv() as unknown as Build<Validator>;
  return (schemas, options) => {
    const compile = once(() => build(schemas, options));
    return (route) => {
      const compiled = once(() => compile()(route));
      const validate: Validator = (data) => {
        const validator = compiled();
        const isValid = validator(data);
        // the caller reads these properties
        validate.errors = validator.errors;
        return isValid;
      };
      return validate;
    };
  };
}

function serializersOnUse(): Build<(answer: unknown) => string> {
  const build = fastJson() as unknown as Build<(answer: unknown) => string>;
  return (schemas, options) => {
    const compile = once(() => build(schemas, options));
    return (route) => {
      const compiled = once(() => compile()(route));
      return (answer) => compiled()(answer);
    };
  };
}

interface Validator {
  (data: unknown): unknown;
  errors?: unknown;
}

/** Returns the value of `make`, which is called at the first use. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
