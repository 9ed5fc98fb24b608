/** Requests of agents in the chats of an account: the approvals at work on its channel. */
import { Effect } from "effect"
import { fence } from "../../conversations/export/markdownText.ts"
import type { Surface } from "../approvals/board.ts"
import { makeApprovals } from "../approvals/makeApprovals.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { Channel } from "../messages/Channel.ts"
import type { Sender } from "../messages/ChannelMessage.ts"
import type { Conversation } from "../messages/Conversation.ts"
import { type Direct, patiently } from "./direct.ts"
import type { Files } from "./files.ts"
import { isAskPerson } from "./questions.ts"

/** How long people may take: a phone is not always at hand. */
export const answerDeadlineMs = 60 * 60 * 1000

/** Of a channel that draws requests from events: all of each is there, and changes by itself. */
const drawnBy = (watch: NonNullable<Channel["watch"]>): Omit<Surface, "buttons" | "deadlineMs"> => ({
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

/** Of one whose people see messages. */
const saidBy = (
  { render }: Pick<Channel, "render">,
  { send, edit }: Direct,
  write: Files["write"]
): Omit<Surface, "buttons" | "deadlineMs"> => ({
  isOneMessage: (payload) => render(payload).length <= 1,
  // An agent waits for it: twice is better than never, and either can be answered.
  send: (to, payload, key) => patiently(send("request", to, payload, key), true),
  edit: edit && ((ref, payload) => Effect.asVoid(patiently(edit("request", ref, payload), true))),
  // Where no file can be sent, or none be written, it comes as messages.
  sendFile: Effect.fnUntraced(function* (to, name, text, key) {
    const path = yield* write(`${key}-${name}`, text)
    const file = path === undefined ? [] : [{ mediaUrls: [path] }]
    const takesIt = file.some((payload) => render(payload).some((piece) => piece.file === path))
    const payloads = takesIt ? file : [{ text: fence(text) }]
    const refs = yield* Effect.forEach(payloads, (payload) => patiently(send("request", to, payload, key), true))
    return refs.every((ref) => ref !== undefined)
  })
})

export const makeRequests = (
  channel: Channel,
  { requests }: Pick<AccountJournal, "requests">,
  direct: Direct,
  write: Files["write"],
  mayAnswer: (conversation: Conversation, sender: Sender) => boolean
) =>
  makeApprovals({
    // Questions that an agent asks by a tool wait for no host: their answer is a message.
    rows: {
      ...requests,
      open: Effect.map(requests.open, (rows) => rows.filter(({ request }) => !isAskPerson(request)))
    },
    acknowledge: channel.acknowledge,
    mayAnswer,
    surface: {
      buttons: channel.limits.buttons,
      deadlineMs: answerDeadlineMs,
      ...(channel.watch === undefined ? saidBy(channel, direct, write) : drawnBy(channel.watch))
    }
  })
