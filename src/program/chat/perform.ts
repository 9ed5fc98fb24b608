/** What each command of a program does to the session, and what is told of it. */
import { Effect, Stream } from "effect"
import type { AgentError } from "../../contract/AgentError.ts"
import type { AgentSession } from "../../contract/AgentSession.ts"
import type { PlanAnswer } from "../../contract/Rule.ts"
import type { ChatCommand, Decide } from "./commands.ts"
import type { Counters } from "./counters.ts"

/** What became of the command on a line. */
export type Reply =
  | { readonly ok: true; readonly [fact: string]: unknown }
  | { readonly ok: false; readonly problem: string }

export interface PerformOptions {
  readonly session: AgentSession
  readonly counters: Counters
  /** Begins at once, so that what follows finds it under way; does not wait for it. */
  readonly begin: (task: Effect.Effect<void>) => Effect.Effect<unknown>
  readonly reply: (line: number, told: Reply) => Effect.Effect<void>
}

const answerOf = ({ type: _, requestId: __, ...answer }: Decide): PlanAnswer => answer

export const makePerform = ({ session, counters, begin, reply }: PerformOptions) => {
  const told = <A>(line: number, wish: Effect.Effect<A, AgentError>, facts: (value: A) => Reply) =>
    Effect.matchEffect(wish, {
      onFailure: ({ reason }) => reply(line, { ok: false, problem: reason.message }),
      onSuccess: (value) => reply(line, facts(value))
    })

  const send = (line: number, text: string) => told(line, session.send(text), (delivery) => ({ ok: true, delivery }))

  const interrupted = (was: boolean): Reply => (was ? { ok: true } : { ok: false, problem: "no turn was under way" })

  const done = (): Reply => ({ ok: true })

  const turn = (prompt: string) => begin(Stream.runDrain(session.turn(prompt)))

  const perform = (line: number, command: ChatCommand): Effect.Effect<unknown> => {
    switch (command.type) {
      case "turn":
        return turn(command.prompt)
      case "send":
        return send(line, command.text)
      case "decide":
        return counters.permissions.take(line, command.requestId, answerOf(command))
      case "answer":
        return counters.questions.take(line, command.requestId, command.answers)
      case "interrupt":
        return begin(told(line, session.interrupt, interrupted))
      case "set_model":
        return begin(told(line, session.setModel(command.model), done))
      case "set_permission_mode":
        return begin(told(line, session.setPermissionMode(command.permissionMode), done))
      case "close":
        return Effect.void
    }
  }
  return { turn, perform }
}
