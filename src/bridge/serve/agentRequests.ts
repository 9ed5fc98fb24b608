/** Requests of agents in the chats of an account: the default approval rules, and approvals on its channel. */
import { Context, Effect, Layer } from "effect"
import * as Rules from "../../agents/Approvals.ts"
import type { ApprovalRule } from "../../contract/Rule.ts"
import { untraced } from "../../contract/untraced.ts"
import { fence } from "../../conversations/export/markdownText.ts"
import type { Surface } from "../approvals/board.ts"
import { type Approvals, makeApprovals } from "../approvals/makeApprovals.ts"
import type { ChatSettings } from "../ChatSettings.ts"
import type { Channel } from "../messages/Channel.ts"
import { Account } from "./account.ts"
import { AccountAccess } from "./accountAccess.ts"
import { Direct, patiently } from "./direct.ts"
import { Files } from "./files.ts"
import { isAskPerson } from "./questions.ts"

/** Longest time for an answer: a phone is not always at hand. */
const answerDeadlineMs = 60 * 60 * 1000

const withDeadline = { deadline: answerDeadlineMs } as const

/** Reading needs no approval; people are asked about everything else. */
const defaultRules: ReadonlyArray<ApprovalRule> = [
  Rules.allow({ kinds: ["read", "search"] }),
  Rules.ask(undefined, withDeadline)
]

/** The rules of a chat, and before them a rule for the plan if the chat wants one. */
export const rulesOf = (
  configured: ReadonlyArray<ApprovalRule> | undefined,
  { planMode = "off" }: ChatSettings
): ReadonlyArray<ApprovalRule> => {
  const rules = configured ?? defaultRules
  if (planMode === "off") return rules
  return [Rules.plan(undefined, planMode === "auto" ? { auto: true } : withDeadline), ...rules]
}

const unanswerable = "Denied: a program started this turn, and people cannot be asked. Go on without it."

/** Denies all requests for which people would be asked. */
export const withoutAsking = (rules: ReadonlyArray<ApprovalRule>): ReadonlyArray<ApprovalRule> =>
  rules.map((rule) => {
    if (rule._tag === "Ask") return { _tag: "Deny", match: rule.options.match ?? {}, message: unanswerable }
    if (rule._tag === "Plan" && rule.options.auto !== true)
      return { _tag: "Plan", options: rule.options, handler: () => ({ decision: "deny", message: unanswerable }) }
    return rule
  })

/** For a channel that draws requests from events, which it gets anyway. */
const drawnSurface = (watch: NonNullable<Channel["watch"]>): Omit<Surface, "buttons" | "deadlineMs"> => ({
  isOneMessage: () => true,
  send: (conversation, _payload, key) => Effect.succeed({ conversation, messageId: key }),
  edit: () => Effect.void,
  over: ({ id, conversation, turnId, request }) =>
    watch({
      _tag: "Event",
      conversation,
      turnId,
      event: request.startsWith('{"type":"question"')
        ? { type: "question_answer", requestId: id, by: "end" }
        : { type: "permission_decision", requestId: id, decision: "withdrawn", by: "end" }
    })
})

/** For a channel that displays requests as messages. */
const messageSurface = (
  { render }: Pick<Channel, "render">,
  { send, edit }: Direct["Service"],
  write: Files["Service"]["write"]
): Omit<Surface, "buttons" | "deadlineMs"> => ({
  isOneMessage: (payload) => render(payload).length <= 1,
  // An agent waits for the answer: twice is better than never, and either message can be answered.
  send: (to, payload, key) => patiently(send("request", to, payload, key), true),
  edit: edit && ((ref, payload) => Effect.asVoid(patiently(edit("request", ref, payload), true))),
  // Falls back to messages if no file can be sent or written.
  sendFile: Effect.fn(...untraced("AgentRequests.sendFile"))(function* (to, name, text, key) {
    const path = yield* write(`${key}-${name}`, text)
    const file = path === undefined ? [] : [{ mediaUrls: [path] }]
    const isFileSent = file.some((payload) => render(payload).some((piece) => piece.file === path))
    const payloads = isFileSent ? file : [{ text: fence(text) }]
    const refs = yield* Effect.forEach(payloads, (payload) => patiently(send("request", to, payload, key), true))
    return refs.every((ref) => ref !== undefined)
  })
})

export class AgentRequests extends Context.Service<AgentRequests, Omit<Approvals, "afterRestart">>()(
  "reins/bridge/AgentRequests"
) {
  /** Updates the requests that a killed host has left. */
  static readonly layer = Layer.effect(
    AgentRequests,
    Effect.gen(function* () {
      const { channel, journal } = yield* Account
      const { mayAnswer } = yield* AccountAccess
      const { requests } = journal
      const { write } = yield* Files
      const approvals = yield* makeApprovals({
        // Questions by a tool outlive the host: their answer is a message.
        rows: {
          ...requests,
          open: Effect.map(requests.open, (rows) => rows.filter(({ request }) => !isAskPerson(request)))
        },
        acknowledge: channel.acknowledge,
        mayAnswer,
        surface: {
          buttons: channel.limits.buttons,
          deadlineMs: answerDeadlineMs,
          ...(channel.watch === undefined ? messageSurface(channel, yield* Direct, write) : drawnSurface(channel.watch))
        }
      })
      yield* approvals.afterRestart
      return approvals
    })
  )
}
