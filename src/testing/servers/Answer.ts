/**
 * The answers of a scripted model, as plain values, the same for all four protocols: a message (whole, cut, falling
 * silent), an HTTP error, silence before the first byte, a text that never ends. Nothing here does I/O.
 */
import type { AgentUsage } from "../../contract/AgentRunResult.ts"

/** Token counts as the result of a run tells them: `inputTokens` are those that no cache had. */
export type Usage = Required<AgentUsage>

/** A part of a message; made by `text`, `thought` and `tool`. */
export type Block =
  | { readonly type: "text"; readonly text: string; readonly pieces?: ReadonlyArray<string> }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "tool_use"; readonly name: string; readonly input: unknown; readonly id?: string }

/**
 * How a message ends: `whole`; `cut` (the connection is dropped), `stall` (silent for ever) or `error` (an error event
 * of the protocol; Gemini's has none, there the stream ends without its finish reason).
 */
export type Ending = "whole" | "cut" | "stall" | "error"

/** How a message is said, and how it ends. */
export interface MessageOptions {
  /** Default: `whole`. */
  readonly ending?: Ending
  /** If true, an incomplete answer breaks off behind its last block. Default: false, inside it. */
  readonly endsBehind?: boolean
  /** How long a `cut` waits after its words, since a client that learns of both at once drops them. Default: 50. */
  readonly cutAfterMs?: number
  /** In the words of the Messages API; the others get their own. Default: `tool_use` after a call, else `end_turn`. */
  readonly stopReason?: string
  /** Default: 100 in, 10 out, 20 from the cache, 30 into it; only Messages and Responses can tell the last. */
  readonly usage?: Partial<Usage>
}

/** A message of the model; made by `message`, `say`, `think`, `call`, `cut` and `stall`. */
export interface Message extends Required<Omit<MessageOptions, "usage">> {
  readonly type: "message"
  readonly blocks: ReadonlyArray<Block>
  readonly usage: Usage
}

/** The content of an HTTP error. */
export interface FailureOptions {
  /** Default: `scripted`, and the status. */
  readonly message?: string
  /**
   * The API's machine word: `error.type` of Messages, `error.code` of Responses and chat completions, the `reason` of
   * Gemini's `ErrorInfo`. Default: the word that Messages has for the status; none for the others.
   */
  readonly code?: string
  /** `error.type` of Responses and chat completions. Default: `invalid_request_error`. */
  readonly type?: string
  /** Replaces the API's own shape. */
  readonly body?: string
  /** Such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface Failure extends FailureOptions {
  readonly status: number
  readonly message: string
}

/** One answer to one request, for every protocol. */
export type Answer =
  | Message
  | { readonly type: "failure"; readonly failure: Failure }
  | { readonly type: "silence" }
  | { readonly type: "drip"; readonly piece: string; readonly everyMs: number }

const defaultUsage: Usage = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 20, cacheWriteTokens: 30 }

/** A text; `["Hel", "lo"]` fixes its deltas, otherwise the server cuts it. */
export const text = (words: string | ReadonlyArray<string>): Block =>
  typeof words === "string" ? { type: "text", text: words } : { type: "text", text: words.join(""), pieces: words }

/** A thought. Chat completions give it as `reasoning_content`, Responses as a summary. */
export const thought = (words: string): Block => ({ type: "thinking", text: words })

/**
 * A tool call, by the CLI's own name of the tool. The id is made up unless given. For Codex, a text as input makes a
 * custom call (`apply_patch`), and "server.tool" is a tool of a namespace.
 */
export const tool = (name: string, input: unknown, id?: string): Block => ({
  type: "tool_use",
  name,
  input,
  ...(id === undefined ? {} : { id })
})

/** Any blocks as one message. */
export const message = (blocks: ReadonlyArray<Block>, options: MessageOptions = {}): Answer => ({
  type: "message",
  blocks,
  ending: options.ending ?? "whole",
  endsBehind: options.endsBehind ?? false,
  cutAfterMs: options.cutAfterMs ?? 50,
  stopReason: options.stopReason ?? (blocks.some((block) => block.type === "tool_use") ? "tool_use" : "end_turn"),
  usage: { ...defaultUsage, ...options.usage }
})

/** A text. */
export const say = (words: string | ReadonlyArray<string>, options?: MessageOptions): Answer =>
  message([text(words)], options)

/** A thought, then a text. */
export const think = (thinking: string, words: string, options?: MessageOptions): Answer =>
  message([thought(thinking), text(words)], options)

/** One tool call, or several parallel ones in one message: `call(tool("Bash", { command: "ls" }))`. */
export const call = (...tools: ReadonlyArray<Block>): Answer => message(tools)
/** Some text, then the connection is dropped. To drop it at a chosen moment: `stall`, then `request.drop()`. */
export const cut = (words: string | ReadonlyArray<string>): Answer => say(words, { ending: "cut" })
/** Some text, then silence on an open connection. */
export const stall = (words: string | ReadonlyArray<string>): Answer => say(words, { ending: "stall" })
/** Takes the request and never sends a byte. */
export const silence = (): Answer => ({ type: "silence" })
/** Text deltas for as long as the client listens: `piece` (default: `"tick "`) every `everyMs` (default: 20 ms). */
export const drip = (piece = "tick ", everyMs = 20): Answer => ({ type: "drip", piece, everyMs })

/** An HTTP error, in the API's own shape. Throws a `RangeError` for a status that is not between 200 and 599. */
export const fail = (status: number, options: FailureOptions = {}): Answer => {
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw new RangeError(`Answer.fail: ${status} is not an HTTP status that ends a request: use one from 200 to 599`)
  }
  return { type: "failure", failure: { message: `scripted ${status}`, ...options, status } }
}
