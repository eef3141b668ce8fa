import { createInterface } from "node:readline";
import { say, UsageError } from "simtape/command";
import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from "./passwords.ts";

/** Asks for a new password: typed twice without echo on a terminal, otherwise the first line of standard input. */
export async function askPassword(name: string): Promise<string> {
  const { stdin } = process;
  const password = stdin.isTTY ? await typed(`new password of ${name}: `) : await firstLine();
  if (password.length < SHORTEST_PASSWORD || password.length > LONGEST_PASSWORD)
    throw new UsageError(`a password has ${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters`);
  if (stdin.isTTY && (await typed("once more: ")) !== password) throw new UsageError("the two passwords differ");
  return password;
}

async function firstLine(): Promise<string> {
  say("the password is read from standard input");
  for await (const line of createInterface({ input: process.stdin })) return line;
  return "";
}

const ENTER = new Set(["\r", "\n", "\u0004"]);
const BACK = new Set(["\u007f", "\b"]);
const STOP = "\u0003";

function typed(question: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(question);
  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  let text = "";
  return new Promise((resolve, reject) => {
    const end = (): void => {
      stdin.off("data", hear);
      stdin.setRawMode(false);
      stdin.pause();
      stderr.write("\n");
    };
    const hear = (data: string): void => {
      for (const letter of data) {
        if (ENTER.has(letter)) {
          end();
          resolve(text);
          return;
        }
        if (letter === STOP) {
          end();
          reject(new UsageError("nothing was changed"));
          return;
        }
        text = BACK.has(letter) ? text.replace(/.$/su, "") : text + letter;
      }
    };
    stdin.on("data", hear);
    stdin.resume();
  });
}
