/** A request of a CLI to a scripted model, in one form for all protocols; `body` is the original. */

/** By name, in lower case; what came several times is joined by commas. */
export type RequestHeaders = { readonly [name: string]: string | undefined }

/** `main`: the conversation itself; `agent`: a sub-agent; `side`: what the CLI asks for itself, as titles. */
export type RequestKind = "main" | "agent" | "side"

/** A tool as the model sees it. */
export interface ToolResult {
  /** Id of the tool call; empty if the protocol has none. */
  readonly id: string
  readonly text: string
  /** Absent where the protocol does not tell. */
  readonly isError?: boolean
  /** Name of the tool, if the protocol tells it (Gemini). */
  readonly name?: string
}

/** The parts that are in the request itself. */
export interface Asked<Body = unknown> {
  /** Gemini and Codex do not tell sub-agents and titles from the conversation: all of theirs are `main`. */
  readonly kind: RequestKind
  readonly model: string
  /** If false, the client wants one JSON body. */
  readonly stream: boolean
  /** The texts of the user, oldest first; the CLI's own words about the surroundings can stand among them. */
  readonly prompts: ReadonlyArray<string>
  /** All that instructs the model, joined by a newline. */
  readonly systemPrompt: string
  /** The names of the tools the model may call; Codex's MCP tools stand behind their server's name and a dot. */
  readonly toolNames: ReadonlyArray<string>
  /** All of the conversation, oldest first. */
  readonly toolResults: ReadonlyArray<ToolResult>
  readonly body: Body
}

/** A request for a model's answer, and what becomes of it. */
export interface ModelRequest<Body = unknown> extends Asked<Body> {
  /** 1 for the first request of its kind. */
  readonly nth: number
  /** The newest of `prompts`; empty without prompts. */
  readonly prompt: string
  readonly headers: RequestHeaders
  /** Everything the script sends was sent: the whole answer, or what precedes its silence. */
  readonly sent: Promise<void>
  /** The exchange is over, ended by either side. */
  readonly closed: Promise<void>
  /** Drops the connection now. */
  readonly drop: () => void
}

/** An HTTP request, unread. */
export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: RequestHeaders
  readonly body: string
}
