/**
 * Scripted model servers on loopback for the real, unmodified CLIs: no key, no network, every answer chosen. A server
 * speaks one protocol; a sandbox leads one CLI to it. Both are closed by `await using`.
 */
import type { CliId } from "../contract/CliSupport.ts"
import { checkedId } from "./dialects.ts"
import { type ChatBody, chatCompletions as chatProtocol } from "./servers/chatCompletions.ts"
import { type GeminiBody, gemini as geminiProtocol } from "./servers/gemini.ts"
import { type MessagesBody, messages as messagesProtocol } from "./servers/messages.ts"
import type { ModelRequest, ModelServer, Protocol } from "./servers/request.ts"
import { type ResponsesBody, responses as responsesProtocol } from "./servers/responses.ts"
import type { Script } from "./servers/script.ts"
import { startServer } from "./servers/server.ts"

export { makeSandbox as sandboxFor, type Sandbox, type SandboxOptions } from "./sandbox/sandbox.ts"
export { type Surroundings, type SurroundingsOptions, surroundingsOf } from "./sandbox/surroundings.ts"
export type { ChatBody } from "./servers/chatCompletions.ts"
export type { GeminiBody } from "./servers/gemini.ts"
export type { MessagesBody } from "./servers/messages.ts"
export type { ModelRequest, ModelServer, RequestKind, ToolResult } from "./servers/request.ts"
export type { ResponsesBody } from "./servers/responses.ts"
export type { Scenario, Script, Turns } from "./servers/script.ts"

/** Input of `messages`: answers in order, a function of the request, or a `Scenario`. */
export type MessagesScript = Script<ModelRequest<MessagesBody>>
/** Input of `gemini`: answers in order, a function of the request, or a `Scenario`. */
export type GeminiScript = Script<ModelRequest<GeminiBody>>
/** Input of `responses`: answers in order, a function of the request, or a `Scenario`. */
export type ResponsesScript = Script<ModelRequest<ResponsesBody>>
/** Input of `chatCompletions`: answers in order, a function of the request, or a `Scenario`. */
export type ChatScript = Script<ModelRequest<ChatBody>>

/** The Messages API (`POST /v1/messages`), as Claude Code and Pi ask it. */
export const messages = (script: MessagesScript): Promise<ModelServer<MessagesBody>> =>
  startServer(messagesProtocol, script)

/** The Gemini API (`…/models/<model>:streamGenerateContent` and `:generateContent`), as Gemini CLI asks it. */
export const gemini = (script: GeminiScript): Promise<ModelServer<GeminiBody>> => startServer(geminiProtocol, script)

/** The Responses API (`POST /v1/responses`), as Codex asks it. */
export const responses = (script: ResponsesScript): Promise<ModelServer<ResponsesBody>> =>
  startServer(responsesProtocol, script)

/** Chat completions (`POST /v1/chat/completions`), as OpenCode asks the providers that are compatible. */
export const chatCompletions = (script: ChatScript): Promise<ModelServer<ChatBody>> => startServer(chatProtocol, script)

const protocols: Readonly<Record<CliId, Protocol<unknown>>> = {
  claude: messagesProtocol,
  gemini: geminiProtocol,
  codex: responsesProtocol,
  opencode: chatProtocol,
  pi: messagesProtocol
}

/** The server that a CLI speaks to, for tests that hold for all of them; the bodies of its requests are not typed. */
export const forCli = (cli: CliId, script: Script<ModelRequest>): Promise<ModelServer> =>
  startServer(protocols[checkedId(cli)], script)
