/** Several agents without processes: how each of them ends, and when, by the test's clock. */
import { Deferred, Effect } from "effect"
import { makeResult } from "../../../src/agents/engine/result.ts"
import type { Team } from "../../../src/agents/several/team.ts"
import { AgentError, AgentFailed, type FailureReason, NotInstalled } from "../../../src/contract/AgentError.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../../src/contract/AgentExecuteParams.ts"
import type { AgentDefaults } from "../../../src/contract/AgentOptions.ts"
import type { AgentRunResult } from "../../../src/contract/AgentRunResult.ts"
import type { ErrorCategory } from "../../../src/contract/ErrorCategory.ts"

export interface Course {
  /** Default: at once. */
  readonly afterMs?: number
  readonly failure?: FailureReason
  readonly hadOutput?: boolean
  readonly text?: string
  readonly sessionId?: string
  readonly events?: ReadonlyArray<AgentEvent>
  /** How long it takes to leave when it is interrupted. */
  readonly leavesAfterMs?: number
}

export const resultOf = ({ failure, text = "", sessionId }: Course) => {
  const report = sessionId === undefined ? {} : { sessionId }
  const { structuredOutput: _none, ...result } = makeResult({
    ending: { failure },
    text,
    durationMs: 0,
    report,
    stderr: ""
  })
  return result
}

export const notInstalled = new NotInstalled({ command: "x", install: "y", signIn: "z" })
export const failedWith = (category: ErrorCategory) => new AgentFailed({ code: "c", category, detail: "d" })

export interface Call {
  readonly agent: string
  readonly params: AgentExecuteParams
}

/** The agents, the calls in their order, and how many are running. */
export const makeTeam = (
  courses: Readonly<Record<string, Course>>,
  defaults: Readonly<Record<string, AgentDefaults>> = {}
) => {
  const calls: Array<Call> = []
  const active = new Set<string>()
  const allCalled = Deferred.makeUnsafe<void>()
  const team: Team = {
    names: Object.keys(courses),
    limits: new Map(),
    defaults: (agent) => Effect.succeed(defaults[agent]),
    run: <Output>(agent: string, params: AgentExecuteParams, onEvent: (event: AgentEvent) => void) => {
      const course = courses[agent] ?? {}
      const { afterMs = 0, failure, hadOutput = false, events = [], leavesAfterMs = 0 } = course
      return Effect.sync(() => {
        calls.push({ agent, params })
        active.add(agent)
        if (calls.length === team.names.length) Deferred.doneUnsafe(allCalled, Effect.void)
      }).pipe(
        Effect.andThen(Effect.sleep(afterMs)),
        Effect.andThen(Effect.sync(() => events.forEach(onEvent))),
        Effect.andThen(
          Effect.suspend(() => {
            const result: AgentRunResult<Output> = resultOf(course)
            if (failure === undefined) return Effect.succeed(result)
            return Effect.fail(new AgentError({ cli: agent, reason: failure, result, hadOutput }))
          })
        ),
        Effect.onInterrupt(() => Effect.sleep(leavesAfterMs)),
        Effect.ensuring(Effect.sync(() => active.delete(agent)))
      )
    }
  }
  return { team, calls, active, called: () => calls.map(({ agent }) => agent), allCalled: Deferred.await(allCalled) }
}

export const plan = { prompt: "hello", permissionMode: "plan" } as const
