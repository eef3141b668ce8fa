/** What a server answers when it refuses, or has failed (RFC 9457). `message` says what to do. */
export class ServerProblem extends Error {
  override readonly name = "ServerProblem";
  /** Of HTTP: 404, what is not there or not for you; 503, try again. */
  readonly status: number;
  /** Further members: `existing`, the nearest paths to one that is not there. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(status: number, message: string, details: Readonly<Record<string, unknown>>) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

/** Of any answer that is no success; some proxies answer without a problem. */
export async function problemOf(answer: Response): Promise<ServerProblem> {
  const text = await answer.text();
  try {
    const { detail, ...details } = JSON.parse(text) as { detail?: string };
    if (detail !== undefined) return new ServerProblem(answer.status, detail, details);
  } catch {
    // below
  }
  return new ServerProblem(answer.status, `the server answered ${answer.status} ${answer.statusText}`.trim(), {});
}
