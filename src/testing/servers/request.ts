/** Types of scripted model servers: requests in one form for all protocols, and printing of answers. Free of Node. */
import type { Failure, Message } from "./Answer.ts"

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

/** The parts of the request itself. */
export interface RequestParts<Body = unknown> {
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

/** A request for a model's answer, and its progress. */
export interface ModelRequest<Body = unknown> extends RequestParts<Body> {
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

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: RequestHeaders
  readonly body: string
}

/** A model that answers by a script. Closed by `await using`; what is still open is dropped then. */
export interface ModelServer<Body = unknown> extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, without a path. */
  readonly url: string
  /** Requests for a model's answer, in order of arrival. */
  readonly requests: ReadonlyArray<ModelRequest<Body>>
  /** Everything else that was asked, as `METHOD /path`. */
  readonly others: ReadonlyArray<string>
  /** The requests of one kind. */
  readonly of: (kind: RequestKind) => ReadonlyArray<ModelRequest<Body>>
  /** Resolves with the nth (from 1) request of a kind (default `main`), at once if it is there. Waits for ever. */
  readonly arrival: (nth: number, kind?: RequestKind) => Promise<ModelRequest<Body>>
}

export interface ReplyTo {
  readonly model: string
  /** Unique in the server; ids are made from it. */
  readonly serial: number
}

/** How a protocol prints an answer. */
export interface Wire {
  /** The pieces of a stream before its end; each is written to the network on its own. */
  readonly begin: (to: ReplyTo, message: Message) => ReadonlyArray<string>
  /** The end of a message that is whole. */
  readonly end: (to: ReplyTo, message: Message) => string
  /** The end of a failing message. */
  readonly error: (to: ReplyTo) => string
  /** The text up to the second piece, and of every further one. */
  readonly drip: (to: ReplyTo, piece: string) => { readonly first: string; readonly next: string }
  /** A message for a client that does not stream. */
  readonly json: (to: ReplyTo, message: Message) => unknown
  readonly failure: (failure: Failure) => unknown
  readonly headers?: (to: ReplyTo) => Readonly<Record<string, string>>
}

export interface Protocol<Body> {
  /** Reads a request for a model's answer; `undefined` for any other request. Throws if it cannot be read. */
  readonly read: (received: Received) => RequestParts<Body> | undefined
  readonly wire: Wire
  /** Further answers with status 200, by path. */
  readonly known?: Readonly<Record<string, unknown>>
}
