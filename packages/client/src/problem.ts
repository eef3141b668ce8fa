/** The server refused a request, or failed (RFC 9457). `message` says what is wrong and what to do. */
export class ServerProblem extends Error {
  override readonly name = "ServerProblem";
  /** Status of HTTP. 404: the resource does not exist, or you may not see it. 503: try again. */
  readonly status: number;
  /** Further members, such as `existing`: the nearest paths to one that does not exist. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(status: number, message: string, details: Readonly<Record<string, unknown>>) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

/** The problem in an error answer. Some proxies send an error without one. */
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
