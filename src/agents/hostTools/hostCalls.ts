/** Calls of the CLI to the host over the dialogue: hooks, and the host's own MCP server. Each call gets one reply. */
import { Effect, Fiber } from "effect"
import type { Action, Dialogue, Output } from "../../cli/Live.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { Hook } from "../../contract/HostTool.ts"
import { eventually } from "../../contract/Input.ts"
import { isJson } from "../../contract/json.ts"

export interface HostCallsOptions {
  readonly hooks: ReadonlyArray<Hook>
  /** Answers an MCP message; undefined for a notification. */
  readonly respond: (message: unknown) => Effect.Effect<unknown>
  readonly dialogue: Pick<Dialogue, "reply">
  readonly give: (event: AgentEvent) => void
  readonly perform: (outputs: ReadonlyArray<Output>) => void
  readonly fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
}

export const makeHostCalls = ({ hooks, respond, dialogue, give, perform, fork }: HostCallsOptions) => {
  const running = new Map<string, Fiber.Fiber<void>>()

  const answer = (callId: string, reply: Effect.Effect<unknown>) => {
    let isOver = false
    const replied = Effect.map(reply, (value) => perform(dialogue.reply(callId, value)))
    const forget = Effect.sync(() => {
      isOver = true
      running.delete(callId)
    })
    const fiber = fork(Effect.ensuring(replied, forget))
    // A synchronous reply is over by now.
    if (!isOver) running.set(callId, fiber)
  }

  const runHook = (hook: Hook, input: unknown) => {
    const controller = new AbortController()
    return eventually(() => hook.run(input, { signal: controller.signal })).pipe(
      Effect.filterOrFail(
        (result) => result === undefined || isJson(result),
        () => new TypeError("The result of a hook is not JSON")
      ),
      Effect.onInterrupt(() => Effect.sync(() => controller.abort())),
      Effect.catchCause((cause) => {
        give({ type: "notice", kind: "warning", message: `A hook for ${hook.event} failed; it is ignored` })
        return Effect.as(Effect.logWarning("a hook failed", cause), undefined)
      })
    )
  }

  return {
    hook: ({ callId, hook: index, input }: Extract<Action, { _tag: "HookCalled" }>) => {
      const hook = hooks[index]
      answer(callId, hook === undefined ? Effect.succeed(undefined) : runHook(hook, input))
    },
    /** A reply that is not JSON cannot be sent. */
    mcp: ({ callId, message }: Extract<Action, { _tag: "McpCalled" }>) =>
      answer(
        callId,
        Effect.map(respond(message), (reply) => (isJson(reply) ? reply : undefined))
      ),
    /** The CLI does not wait for the reply any more. */
    cancel: (callId: string) => {
      const fiber = running.get(callId)
      if (fiber !== undefined) fork(Fiber.interrupt(fiber))
    }
  }
}
