/** The kinds of lines as constants of the sender in Java. */
import { LINES } from "../packages/simtape/src/record/lines/commands.ts";

export function javaConstants(): string {
  const constants = [...LINES.keys()].map(
    (kind) => `    static final String ${kind.replaceAll(/[A-Z]/g, "_$&").toUpperCase()} = "${kind}";`,
  );
  return `// Made by \`npm run schemas\` of the lines that a recorder takes.
package simtape;

/** What a line says, as docs/line-protocol.md has it. */
final class Kind {
${constants.join("\n")}

    private Kind() {
    }
}
`;
}
