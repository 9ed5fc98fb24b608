/**
 * One service for each CLI, which takes what that CLI supports: `CodexAgent` beside the general `AgentRuntime`. They differ
 * for the compiler alone, and an application can have several of them at once.
 */
import { Context, Effect, Layer, type Scope, type Stream } from "effect"
import type { AgentError } from "../contract/AgentError.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { ParamsOf } from "../contract/AgentExecuteParams.ts"
import type { OpenParamsOf } from "../contract/AgentOpenParams.ts"
import type { AcpOptions, AgentOptions } from "../contract/AgentOptions.ts"
import type { AgentRunResult } from "../contract/AgentRunResult.ts"
import type { AgentSession } from "../contract/AgentSession.ts"
import type { AgentId } from "../contract/CliSupport.ts"
import type { Platform } from "../system/process/Platform.ts"
import { Acp } from "./Acp.ts"
import { AgentRuntime } from "./AgentRuntime.ts"
import { Claude, Codex, Gemini, OpenCode, Pi } from "./Agents.ts"

/** `AgentRuntime` with the parameters of one CLI; what its members do is said there. */
export interface TypedAgent<Id extends AgentId> {
  /** The id of the CLI. */
  readonly cli: string
  /** The events of one run, `done` last; never fails. */
  readonly execute: <Output = unknown>(params: ParamsOf<Id, Output>) => Stream.Stream<AgentEvent<Output>>
  /** The same run, for its result only; fails with the reason if the outcome is not `completed`. */
  readonly run: <Output = unknown>(params: ParamsOf<Id, Output>) => Effect.Effect<AgentRunResult<Output>, AgentError>
  /** Opens a live session, ready for its first turn. */
  readonly open: (params?: OpenParamsOf<Id>) => Effect.Effect<AgentSession, AgentError, Scope.Scope>
}

/** The runtime takes more than one CLI supports, so it takes typed params, too. */
const typed = <Self, Id extends AgentId>(
  service: Context.Key<Self, TypedAgent<Id>>,
  runtime: Layer.Layer<AgentRuntime, never, Platform>
): Layer.Layer<Self, never, Platform> =>
  Layer.effect(
    service,
    Effect.map(AgentRuntime, (agent) => agent as unknown as TypedAgent<Id>)
  ).pipe(Layer.provide(runtime))

/** Claude Code, with its own parameters. */
export class ClaudeAgent extends Context.Service<ClaudeAgent, TypedAgent<"claude">>()("reins/ClaudeAgent") {
  static readonly layer = (options?: AgentOptions) => typed<ClaudeAgent, "claude">(ClaudeAgent, Claude.layer(options))
}

/** Gemini CLI, with its own parameters. */
export class GeminiAgent extends Context.Service<GeminiAgent, TypedAgent<"gemini">>()("reins/GeminiAgent") {
  static readonly layer = (options?: AgentOptions) => typed<GeminiAgent, "gemini">(GeminiAgent, Gemini.layer(options))
}

/** Codex, with its own parameters. */
export class CodexAgent extends Context.Service<CodexAgent, TypedAgent<"codex">>()("reins/CodexAgent") {
  static readonly layer = (options?: AgentOptions) => typed<CodexAgent, "codex">(CodexAgent, Codex.layer(options))
}

/** OpenCode, with its own parameters. */
export class OpenCodeAgent extends Context.Service<OpenCodeAgent, TypedAgent<"opencode">>()("reins/OpenCodeAgent") {
  static readonly layer = (options?: AgentOptions) =>
    typed<OpenCodeAgent, "opencode">(OpenCodeAgent, OpenCode.layer(options))
}

/** Pi, with its own parameters. */
export class PiAgent extends Context.Service<PiAgent, TypedAgent<"pi">>()("reins/PiAgent") {
  static readonly layer = (options?: AgentOptions) => typed<PiAgent, "pi">(PiAgent, Pi.layer(options))
}

/** An agent of the Agent Client Protocol, with the parameters that all of these take. */
export class AcpAgent extends Context.Service<AcpAgent, TypedAgent<"acp">>()("reins/AcpAgent") {
  static readonly layer = (options: AcpOptions) => typed<AcpAgent, "acp">(AcpAgent, Acp.layer(options))
}
