/**
 * Prompts for later in the chats of an account: an owner is asked before one runs, also after a restart; when it is due it
 * comes in like a message of the person it is for, and it is stopped where it costs more than was agreed.
 */
import { Clock, Effect } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import { harmless } from "../../contract/text/harmless.ts"
import { fence, literal } from "../../conversations/export/markdownText.ts"
import type { Role } from "../access/AccessOptions.ts"
import type { CheckedGateway } from "../gateway/checkGateway.ts"
import type { GatewaySchedules } from "../gateway/gatewayContext.ts"
import { runSchedules } from "../gateway/runSchedules.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { ScheduleRow } from "../journal/schedules.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import { type Conversation, conversationText } from "../messages/Conversation.ts"
import { isScheduled, schedulePrefix } from "../messages/ownMessages.ts"
import type { PressReader, Settled } from "./presses.ts"
import type { JournalFailure, Voice } from "./voice.ts"

export interface SchedulingOptions {
  readonly journal: Pick<AccountJournal, "schedules" | "inbox">
  readonly voice: Voice
  readonly gateway: CheckedGateway
  readonly hasButtons: boolean
  readonly roleOf: (person: string, conversation: Conversation) => Role | undefined
  readonly chatOf: (conversation: Conversation) => ChannelMessage["chat"]
  readonly wake: (conversation: string) => Effect.Effect<void>
}

const notYours = "Only an owner may agree to that."
const over = "This is over."

/** Of a button: at most 40 bytes. */
const data = (isAgreed: boolean, id: string) => `c:${isAgreed ? "a" : "d"}:${id}`

const timeIn = (zone: string) => (at: number) =>
  `${new Date(at).toLocaleString("en-GB", { timeZone: zone, dateStyle: "medium", timeStyle: "short" })} (${zone})`

/** All that an owner agrees to. */
const questionOf = (
  { prompt, cron, zone, next, budgetUsd }: Parameters<GatewaySchedules["ask"]>[0],
  fallback: string,
  hasButtons: boolean
) => {
  const when = next.map(timeIn(zone ?? fallback)).join("; ")
  const lines = [
    `The agent wants to be asked later${cron === undefined ? ", once" : `, again and again (${harmless(cron)})`}:`,
    "",
    fence(harmless(prompt)),
    "",
    `${cron === undefined ? "When" : "Next"}: ${when}. Each run may cost ${budgetUsd ?? 0} US dollars.`
  ]
  return [...lines, ...(hasButtons ? [] : ["", "Write: Agree, or Refuse."])].join("\n")
}

export const makeScheduling = (options: SchedulingOptions) => {
  const { journal, voice, gateway, hasButtons, roleOf, chatOf, wake } = options
  const { schedules, inbox } = journal

  const ask: GatewaySchedules["ask"] = (schedule) => {
    const { id, conversation } = schedule
    const text = questionOf(schedule, gateway.zone, hasButtons)
    const buttons = [
      [
        { label: "Agree", data: data(true, id) },
        { label: "Refuse", data: data(false, id) }
      ]
    ]
    return voice
      .say(conversation, hasButtons ? { text, buttons } : { text }, `${schedulePrefix}${id}/asked`)
      .pipe(Effect.catch((error) => Effect.logWarning(`an owner was not asked about a schedule: ${error.message}`)))
  }

  const decide = Effect.fnUntraced(function* (
    { id, conversation }: ScheduleRow,
    isAgreed: boolean,
    name: string
  ): Effect.fn.Return<string | Settled, JournalFailure> {
    const isDone = isAgreed ? yield* schedules.agree(id) : yield* schedules.remove(id)
    if (!isDone) return over
    const by = literal(name)
    const text = isAgreed ? `Agreed by ${by}: it will run.` : `Refused by ${by}: it will not run.`
    yield* voice.say(conversation, { text }, `${schedulePrefix}${id}/decided`)
    return { settled: isAgreed ? "Agreed." : "Refused." }
  })

  const pressed = Effect.fnUntraced(function* (
    { conversation, sender }: Parameters<PressReader>[0],
    role: Role,
    id: string,
    isAgreed: boolean
  ) {
    const row = (yield* schedules.list("asked", conversation)).find((each) => each.id === id)
    if (row === undefined) return over
    return role === "owner" ? yield* decide(row, isAgreed, harmless(sender.name ?? sender.id)) : notYours
  })

  const press: PressReader = (given, role) => {
    const [, choice, id] = /^c:([ad]):([0-9a-f-]{36})$/.exec(given.data) ?? []
    return id === undefined ? undefined : pressed(given, role, id, choice === "a")
  }

  /** Of a turn that was begun by a schedule, what it may cost; undefined: it was not. */
  const budgetOf = Effect.fnUntraced(function* (message: ChannelMessage) {
    if (!isScheduled(message)) return undefined
    const [id = ""] = message.updateId.slice(schedulePrefix.length).split("/")
    return (yield* schedules.get(id))?.budgetUsd
  })

  return {
    ask,
    press,
    /** True: the message was a choice. Only where one is asked about. */
    text: Effect.fnUntraced(function* ({ text, conversation, sender }: ChannelMessage, role: Role) {
      const word = text.trim().toLowerCase()
      if (role !== "owner" || (word !== "agree" && word !== "refuse")) return false
      const [row, ...others] = yield* schedules.list("asked", conversation)
      if (row === undefined || others.length > 0) return false
      yield* decide(row, word === "agree", harmless(sender.name ?? sender.id))
      return true
    }),
    /** What stops a turn that costs more than was agreed; the text says so. */
    watchBudget: Effect.fnUntraced(function* (message: ChannelMessage, stop: Effect.Effect<unknown>) {
      const most = yield* Effect.orElseSucceed(budgetOf(message), () => gateway.scheduleUsd)
      let isOver = false
      return (event: AgentEvent): Effect.Effect<void> => {
        if (most === undefined || isOver || event.type !== "usage" || (event.totalCostUsd ?? 0) <= most) {
          return Effect.void
        }
        isOver = true
        const key = `${message.updateId}/budget`
        const text = `Stopped: this run of a schedule has cost more than ${most} US dollars.`
        return voice.say(message.conversation, { text }, key).pipe(Effect.ignore, Effect.andThen(stop), Effect.asVoid)
      }
    }),
    running: runSchedules({
      journal: schedules,
      roleOf: (person, conversation) => Effect.succeed(roleOf(person, conversation)),
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
}
