/** Scheduled prompts: an owner approves each. A due one is taken like a message, and stopped above its budget. */
import { Clock, Context, Effect, Layer } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import { harmless } from "../../contract/text/harmless.ts"
import { untraced } from "../../contract/untraced.ts"
import { fence, literal } from "../../conversations/export/markdownText.ts"
import type { Role } from "../access/AccessOptions.ts"
import type { GatewaySchedules } from "../gateway/gatewayContext.ts"
import { runSchedules } from "../gateway/runSchedules.ts"
import type { ScheduleRow } from "../journal/schedules.ts"
import { type ChannelMessage, isScheduled, schedulePrefix } from "../messages/ChannelMessage.ts"
import { conversationText } from "../messages/Conversation.ts"
import { momentIn } from "../texts.ts"
import { Account, Bridge } from "./account.ts"
import { AccountAccess } from "./accountAccess.ts"
import { ConversationQueues } from "./conversationQueues.ts"
import { over, type PressReader, type Settled } from "./pressReader.ts"
import { type JournalFailure, Replies } from "./replies.ts"

const notYours = "Only an owner may approve this."
/** Payload of a button: at most 40 bytes. */
const data = (isAgreed: boolean, id: string) => `c:${isAgreed ? "a" : "d"}:${id}`

const questionOf = (
  { prompt, cron, zone, next, budgetUsd }: Parameters<GatewaySchedules["ask"]>[0],
  fallback: string,
  hasButtons: boolean
) => {
  const when = next.map(momentIn(zone ?? fallback)).join("; ")
  const lines = [
    `The agent wants to run this prompt ${cron === undefined ? "later, once" : `on a schedule (${harmless(cron)})`}:`,
    "",
    fence(harmless(prompt)),
    "",
    `${cron === undefined ? "When" : "Next"}: ${when}. Each run may cost ${budgetUsd ?? 0} US dollars.`
  ]
  return [...lines, ...(hasButtons ? [] : ["", "Write: Agree, or Refuse."])].join("\n")
}

export class Scheduling extends Context.Service<Scheduling, Effect.Success<typeof makeScheduling>>()(
  "reins/bridge/Scheduling"
) {
  static readonly layer = Layer.effect(
    Scheduling,
    Effect.suspend(() => makeScheduling)
  )
}

const makeScheduling = Effect.gen(function* () {
  const { gateway } = (yield* Bridge).options
  const { journal, hasButtons } = yield* Account
  const { roleIn, chatOf } = yield* AccountAccess
  const { wake } = yield* ConversationQueues
  const replies = yield* Replies
  const { schedules, inbox } = journal

  const ask: GatewaySchedules["ask"] = (schedule) => {
    const { id, conversation } = schedule
    const text = questionOf(schedule, gateway.zone, hasButtons)
    const [agree, refuse] = [data(true, id), data(false, id)]
    const buttons = [
      [
        { label: "Agree", data: agree },
        { label: "Refuse", data: refuse }
      ]
    ]
    return replies
      .send(conversation, hasButtons ? { text, buttons } : { text }, `${schedulePrefix}${id}/asked`)
      .pipe(Effect.catch((error) => Effect.logWarning(`an owner was not asked about a schedule: ${error.message}`)))
  }

  const decide = Effect.fn(...untraced("Scheduling.decide"))(function* (
    { id, conversation }: ScheduleRow,
    isAgreed: boolean,
    name: string
  ): Effect.fn.Return<string | Settled, JournalFailure> {
    const isDone = isAgreed ? yield* schedules.agree(id) : yield* schedules.remove(id)
    if (!isDone) return over
    const by = literal(name)
    const text = isAgreed ? `Agreed by ${by}: it will run.` : `Refused by ${by}: it will not run.`
    yield* replies.send(conversation, { text }, `${schedulePrefix}${id}/decided`)
    return { settled: isAgreed ? "Agreed." : "Refused." }
  })

  const pressed = Effect.fn(...untraced("Scheduling.pressed"))(function* (
    { conversation, sender }: Parameters<PressReader>[0],
    role: Role,
    id: string,
    isAgreed: boolean
  ) {
    const row = (yield* schedules.list("asked", conversation)).find((each) => each.id === id)
    if (row === undefined) return over
    return role === "owner" ? yield* decide(row, isAgreed, harmless(sender.name ?? sender.id)) : notYours
  })

  const press: PressReader = (press, role) => {
    const [, choice, id] = /^c:([ad]):([0-9a-f-]{36})$/.exec(press.data) ?? []
    return id === undefined ? undefined : pressed(press, role, id, choice === "a")
  }

  /** Budget of a turn that a schedule started; undefined for others. */
  const budgetOf = Effect.fn(...untraced("Scheduling.budgetOf"))(function* (message: ChannelMessage) {
    if (!isScheduled(message)) return undefined
    const [id = ""] = message.updateId.slice(schedulePrefix.length).split("/")
    return (yield* schedules.get(id))?.budgetUsd
  })

  /**
   * Offers an owner to ask the same once a limit has ended: a press of the button agrees to a schedule. Only where a button
   * can be shown, and for a prompt that is text alone.
   */
  const offerRetry = Effect.fn(...untraced("Scheduling.offerRetry"))(function* (
    { conversation, sender, text: prompt, attachments }: ChannelMessage,
    retryAt: number
  ) {
    if (!hasButtons || prompt === "" || attachments.length > 0 || roleIn(conversation, sender) !== "owner") return
    const id = crypto.randomUUID()
    yield* schedules.put({ id, conversation, person: sender.id, runAt: retryAt, zone: gateway.zone, prompt })
    const text = `The limit ends on ${momentIn(gateway.zone)(retryAt)}.`
    const buttons = [[{ label: "Try again then", data: data(true, id) }]]
    yield* replies.send(conversation, { text, buttons }, `${schedulePrefix}${id}/asked`)
  })

  return {
    ask,
    offerRetry,
    press,
    /** Returns true if the message was a decision. Only if exactly one is pending. */
    text: Effect.fn(...untraced("Scheduling.text"))(function* (
      { text, conversation, sender }: ChannelMessage,
      role: Role
    ) {
      const word = text.trim().toLowerCase()
      if (role !== "owner" || (word !== "agree" && word !== "refuse")) return false
      const [row, ...others] = yield* schedules.list("asked", conversation)
      if (row === undefined || others.length > 0) return false
      yield* decide(row, word === "agree", harmless(sender.name ?? sender.id))
      return true
    }),
    /** Stops a turn that exceeds the agreed budget; the text says so. */
    watchBudget: Effect.fn(...untraced("Scheduling.watchBudget"))(function* (
      message: ChannelMessage,
      stop: Effect.Effect<unknown>
    ) {
      const most = yield* Effect.orElseSucceed(budgetOf(message), () => gateway.scheduleUsd)
      let isOver = false
      return (event: AgentEvent): Effect.Effect<void> => {
        if (most === undefined || isOver || event.type !== "usage" || (event.totalCostUsd ?? 0) <= most) {
          return Effect.void
        }
        isOver = true
        const key = `${message.updateId}/budget`
        const text = `Stopped: this run of a scheduled prompt exceeded its budget of ${most} US dollars.`
        return replies
          .send(message.conversation, { text }, key)
          .pipe(Effect.ignore, Effect.andThen(stop), Effect.asVoid)
      }
    }),
    running: runSchedules({
      journal: schedules,
      roleOf: (id, conversation) => Effect.succeed(roleIn(conversation, { id })),
      fire: ({ conversation, person, prompt }, key) =>
        Effect.flatMap(Clock.currentTimeMillis, (sentAt) =>
          inbox.accept({
            ...{ conversation, updateId: key, chat: chatOf(conversation), sentAt },
            ...{ sender: { id: person, isBot: false }, text: prompt, attachments: [], addressed: true }
          })
        ),
      onFired: (conversation) => wake(conversationText(conversation)),
      zone: gateway.zone
    })
  }
})
