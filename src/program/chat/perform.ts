/** Performs a command of a program on the session, and replies with its outcome. */
import { Effect, Stream } from "effect"
import type { AgentError } from "../../contract/AgentError.ts"
import type { TurnOptions } from "../../contract/AgentOpenParams.ts"
import type { AgentSession } from "../../contract/AgentSession.ts"
import type { PlanAnswer } from "../../contract/Rule.ts"
import type { AnswerQueues } from "./answerQueues.ts"
import type { ChatCommand, Decide } from "./commands.ts"

export type Reply =
  | { readonly ok: true; readonly [fact: string]: unknown }
  | { readonly ok: false; readonly problem: string }

export interface PerformOptions {
  readonly session: AgentSession
  readonly queues: AnswerQueues
  /** Starts a task at once and does not wait for it; later commands find it running. */
  readonly begin: (task: Effect.Effect<void>) => Effect.Effect<unknown>
  readonly reply: (line: number, outcome: Reply) => Effect.Effect<void>
}

const answerOf = ({ type: _, requestId: __, ...answer }: Decide): PlanAnswer => answer

export const makePerform = ({ session, queues, begin, reply }: PerformOptions) => {
  const replyWith = <A>(line: number, effect: Effect.Effect<A, AgentError>, outcome: (value: A) => Reply) =>
    Effect.matchEffect(effect, {
      onFailure: ({ reason }) => reply(line, { ok: false, problem: reason.message }),
      onSuccess: (value) => reply(line, outcome(value))
    })

  const send = (line: number, { text, attachments }: Extract<ChatCommand, { type: "send" }>) =>
    replyWith(line, session.send(text, { attachments }), (delivery) => ({ ok: true, delivery }))

  const interrupted = (wasRunning: boolean): Reply =>
    wasRunning ? { ok: true } : { ok: false, problem: "no turn was running" }

  const done = (): Reply => ({ ok: true })
  const turn = (prompt: string, options?: TurnOptions) => begin(Stream.runDrain(session.turn(prompt, options)))

  const perform = (line: number, command: ChatCommand): Effect.Effect<unknown> => {
    switch (command.type) {
      case "turn":
        return turn(command.prompt, { attachments: command.attachments })
      case "send":
        return send(line, command)
      case "decide":
        return queues.permissions.answer(line, command.requestId, answerOf(command))
      case "answer":
        return queues.questions.answer(line, command.requestId, command.answers)
      case "interrupt":
        return begin(replyWith(line, session.interrupt, interrupted))
      case "set_model":
        return begin(replyWith(line, session.setModel(command.model), done))
      case "set_permission_mode":
        return begin(replyWith(line, session.setPermissionMode(command.permissionMode), done))
      case "close":
        return Effect.void
    }
  }
  return { turn, perform }
}
