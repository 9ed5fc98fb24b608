/** A conversation with approvals, without a process, a channel or a store: what is sent, edited, written and decided is kept. */
import { Effect } from "effect"
import type { Deciding } from "../../../src/bridge/approvals/entry.ts"
import { makeApprovals } from "../../../src/bridge/approvals/makeApprovals.ts"
import type { Look } from "../../../src/bridge/approvals/requestText.ts"
import type { NewRequest, RequestRow } from "../../../src/bridge/journal/requests.ts"
import type { ChannelMessage } from "../../../src/bridge/messages/ChannelMessage.ts"
import type { Conversation } from "../../../src/bridge/messages/Conversation.ts"
import type { Pressed } from "../../../src/bridge/messages/Incoming.ts"
import type { ReplyPayload } from "../../../src/bridge/messages/ReplyPayload.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import type { PlanAnswer } from "../../../src/contract/Rule.ts"
import type { Answers, PermissionRequestEvent, QuestionEvent } from "../../../src/contract/SessionEvent.ts"

export const request = (requestId: string, more: Partial<PermissionRequestEvent> = {}): PermissionRequestEvent => ({
  type: "permission_request",
  requestId,
  toolName: "Bash",
  toolId: "t",
  kind: "command",
  input: { command: "make" },
  title: "Run make",
  command: "make",
  preview: "$ make",
  escalated: false,
  scopes: [{ id: "exact", label: "exactly this", covers: "make" }],
  deadlineMs: 3_600_000,
  ...more
})

export const question = (requestId: string, ...questions: QuestionEvent["questions"]): QuestionEvent => ({
  type: "question",
  requestId,
  questions: questions.length > 0 ? questions : [colour],
  deadlineMs: 3_600_000
})

export const colour = {
  question: "Which colour?",
  options: [{ label: "Red" }, { label: "Blue", description: "as the sky" }],
  multiple: false,
  freeText: true
}

export const sizes = {
  question: "Which sizes?",
  options: [{ label: "S" }, { label: "M" }, { label: "L" }],
  multiple: true,
  freeText: false
}

export const look: Look = {
  buttons: { most: 8, label: 30, data: 64 },
  isOneMessage: ({ text = "" }) => text.length <= 1000,
  deadlineMs: 3_600_000
}

export const here: Conversation = { channel: "test", accountId: "bot", chatId: "1" }

export interface Message {
  readonly id: string
  readonly key: string
  /** Each form that it had. */
  readonly payloads: Array<ReplyPayload>
}

const idle = Effect.yieldNow.pipe(Effect.repeat({ times: 30 }))

/** A session that decides each of its requests once, and gives the events. */
const makeSession = () => {
  const open = new Map<string, "permission_request" | "question">()
  const events: Array<AgentEvent> = []
  const decisions: Array<readonly [string, PlanAnswer | Answers | undefined]> = []
  const take = (id: string, input: PlanAnswer | Answers | undefined, event: AgentEvent) =>
    Effect.sync(() => {
      if (!open.delete(id)) return false
      decisions.push([id, input])
      events.push(event)
      return true
    })
  const deciding: Deciding = {
    decide: (requestId, answer) => {
      const { decision, person, where } = answer
      return take(requestId, answer, {
        type: "permission_decision",
        requestId,
        decision: decision === "allow" ? "allow" : "deny",
        by: "caller",
        ...(decision === "allow" && answer.remember === true ? { remembered: "exact" } : {}),
        ...(decision === "allow" && typeof answer.remember === "string" ? { remembered: answer.remember } : {}),
        ...(person === undefined ? {} : { person }),
        ...(where === undefined ? {} : { where })
      })
    },
    answer: (requestId, answers, decider = {}) =>
      take(requestId, answers, {
        type: "question_answer",
        requestId,
        by: "caller",
        ...decider,
        ...(answers === undefined ? {} : { answers })
      })
  }
  const withdraw = (requestId: string, by: "agent" | "end" | "rule") => {
    const type = open.get(requestId)
    if (!open.delete(requestId)) return
    events.push(
      type === "question"
        ? { type: "question_answer", requestId, by }
        : { type: "permission_decision", requestId, decision: by === "rule" ? "deny" : "withdrawn", by }
    )
  }
  return { open, events, decisions, deciding, withdraw }
}

export interface KitOptions {
  readonly look?: Partial<Look>
  readonly canEdit?: boolean
  readonly canSendFiles?: boolean
  /** Rows of a host before. */
  readonly rows?: ReadonlyArray<RequestRow>
}

export const makeKit = Effect.fnUntraced(function* (options: KitOptions = {}) {
  const { canEdit = true, canSendFiles = true } = options
  const messages: Array<Message> = []
  const files: Array<string> = []
  const acknowledged: Array<string | undefined> = []
  /** In the order in which things were done. */
  const steps: Array<string> = []
  const rows = new Map<string, RequestRow>((options.rows ?? []).map((row) => [row.id, row]))
  const writes: Array<readonly [id: string, what: string, person: string | undefined]> = []
  const session = makeSession()
  const step = (id: string, state: "answered" | "over", answer: string, person?: string) =>
    Effect.sync(() => {
      steps.push(`write ${answer}`)
      const row = rows.get(id)
      if (row?.state !== "open") return false
      writes.push([id, answer, person])
      rows.set(id, { ...row, state, answer, ...(person === undefined ? {} : { person }) })
      return true
    })
  const approvals = yield* makeApprovals({
    rows: {
      put: (row: NewRequest) => Effect.sync(() => void rows.set(row.id, { ...row, state: "open", at: 0 })),
      get: (id) => Effect.sync(() => rows.get(id)),
      open: Effect.sync(() => [...rows.values()].filter(({ state }) => state === "open")),
      shown: (id, messageId) =>
        Effect.sync(() => {
          const row = rows.get(id)
          if (row !== undefined) rows.set(id, { ...row, messageId })
        }),
      answer: (id, answer, person) => step(id, "answered", answer, person),
      end: (id, why) => step(id, "over", why)
    },
    surface: {
      ...look,
      ...options.look,
      send: (conversation, payload, key) =>
        Effect.sync(() => {
          const id = `m${messages.length + 1}`
          messages.push({ id, key, payloads: [payload] })
          return { conversation, messageId: id }
        }),
      edit: canEdit
        ? ({ messageId }, payload) =>
            Effect.sync(() => {
              const message = messages.find(({ id }) => id === messageId)
              if (message === undefined) messages.push({ id: messageId, key: "edited", payloads: [payload] })
              else message.payloads.push(payload)
            })
        : undefined,
      sendFile: canSendFiles
        ? (_, __, text) =>
            Effect.sync(() => {
              files.push(text)
              return true
            })
        : undefined
    },
    acknowledge: (_, text) =>
      Effect.sync(() => {
        steps.push("acknowledge")
        acknowledged.push(text)
      }),
    mayAnswer: (_, { id }) => id === "ann" || id === "bob"
  })

  /** Gives the events of the session, until nothing more comes of them. */
  const settle = Effect.gen(function* () {
    for (let at = 0; at < 3; at++) {
      for (const event of session.events.splice(0)) {
        if (event.type === "permission_decision" || event.type === "question_answer") steps.push("decided")
        yield* approvals.event(here, "turn", session.deciding, event)
      }
      yield* idle
    }
  })
  const ask = (event: PermissionRequestEvent | QuestionEvent) =>
    Effect.suspend(() => {
      session.open.set(event.requestId, event.type)
      session.events.push(event)
      return settle
    })
  const names: { readonly [id: string]: string } = { ann: "Ann", bob: "Bob", eve: "Eve" }
  const from = (id: string, conversation: Conversation) => ({
    conversation,
    updateId: "u",
    sender: { id, name: names[id] ?? id, isBot: false }
  })
  const pressed = (data: string, person = "ann", conversation = here): Pressed => ({
    _tag: "Pressed",
    ...from(person, conversation),
    chat: "direct",
    data,
    press: null
  })
  const message = (text: string, person = "ann", more: Partial<ChannelMessage> = {}): ChannelMessage => ({
    ...from(person, here),
    chat: "direct",
    sentAt: 0,
    text,
    attachments: [],
    addressed: true,
    ...more
  })
  const last = () => messages.at(-1)?.payloads.at(-1)
  const buttons = (payload = last()) => (payload?.buttons ?? []).flat()
  const dataOf = (label: string, payload = last()) =>
    buttons(payload).find((button) => button.label === label)?.data ?? `no button ${label}`

  return {
    ...session,
    approvals,
    acknowledged,
    messages,
    files,
    steps,
    rows,
    writes,
    settle,
    ask,
    pressed,
    message,
    last,
    labels: (payload = last()) => buttons(payload).map(({ label }) => label),
    dataOf,
    press: (label: string, person?: string) =>
      Effect.andThen(
        Effect.suspend(() => approvals.press(pressed(dataOf(label), person))),
        settle
      ),
    write: (text: string, person?: string, more?: Partial<ChannelMessage>) =>
      Effect.tap(
        Effect.suspend(() => approvals.text(message(text, person, more))),
        () => settle
      )
  }
})
