/** A session whose turns are runs of their own, for tests: what a run gives for a prompt, a turn gives. */
import { Effect, Semaphore, Stream } from "effect"
import type { AgentEvent } from "../AgentEvent.ts"
import type { AgentExecuteParams } from "../AgentExecuteParams.ts"
import type { AgentOpenParams } from "../AgentOpenParams.ts"
import type { AgentSession } from "../AgentSession.ts"
import { makeResult } from "../run/judge.ts"
import { makeAudience } from "./audience.ts"

type Execute = (params: AgentExecuteParams) => Stream.Stream<AgentEvent>

const runParams = (
  { approvals: _approvals, questions: _questions, tools: _tools, hooks: _hooks, ...params }: AgentOpenParams,
  prompt: string
): AgentExecuteParams => ({ ...params, prompt })

const asTurn = (event: AgentEvent): AgentEvent =>
  event.type === "done" ? { type: "turn_done", result: event.result } : event

export const sessionOfRuns = Effect.fnUntraced(function* (cli: string, execute: Execute, params: AgentOpenParams = {}) {
  const audience = makeAudience()
  const oneAtATime = yield* Semaphore.make(1)
  let sessionId: string | undefined
  let underWay: AbortController | undefined
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      const result = makeResult({ ending: { failure: undefined }, text: "", durationMs: 0, report: {}, stderr: "" })
      audience.offer({ type: "done", result }, 0)
      audience.end()
    })
  )

  const turn = (prompt: string) =>
    Stream.unwrap(
      Effect.gen(function* () {
        yield* Effect.acquireRelease(oneAtATime.take(1), () => oneAtATime.release(1))
        const controller = new AbortController()
        underWay = controller
        yield* Effect.addFinalizer(() =>
          Effect.sync(() => {
            underWay = undefined
          })
        )
        return execute({ ...runParams(params, prompt), abortSignal: controller.signal }).pipe(
          Stream.map((event) => {
            if (event.type === "session" && event.parentToolId === undefined) sessionId = event.sessionId
            const told = asTurn(event)
            audience.offer(told, 0)
            return told
          })
        )
      })
    )

  const scope = yield* Effect.scope
  const session: AgentSession = {
    cli,
    get sessionId() {
      return sessionId
    },
    turn,
    send: (text) =>
      Effect.gen(function* () {
        const delivery = underWay === undefined ? "started" : "queued"
        yield* Effect.forkIn(Stream.runDrain(turn(text)), scope)
        return delivery
      }),
    interrupt: Effect.sync(() => {
      underWay?.abort()
      return underWay !== undefined
    }),
    idle: Effect.void.pipe(oneAtATime.withPermits(1)),
    setModel: () => Effect.void,
    setPermissionMode: () => Effect.void,
    decide: () => Effect.succeed(false),
    answer: () => Effect.succeed(false),
    events: audience.events
  }
  return session
})
