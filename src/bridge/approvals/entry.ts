/** Requests and questions that people are asked, in memory: a press finds its own at once. */
import { randomBytes } from "node:crypto"
import { Effect, Semaphore } from "effect"
import type { AgentSession } from "../../contract/AgentSession.ts"
import { type Conversation, conversationText } from "../messages/Conversation.ts"
import type { MessageRef } from "../messages/ReplyPayload.ts"
import { type Asked, type RequestState, untouched } from "./choices.ts"

/** 96 random bits: 16 characters. */
export const newRequestId = (): string => randomBytes(12).toString("base64url")

export const buttonData = (id: string, code: string): string => `r:${id}:${code}`

const form = /^r:([A-Za-z0-9_-]{16}):([a-z][0-9.]{0,15})$/

/** Returns undefined for other buttons: anyone can send anything. */
export const pressedButton = (data: string) => {
  const [, id, code] = form.exec(data) ?? []
  return id === undefined || code === undefined ? undefined : { id, code }
}

/** The part of a live session that decides. */
export type Deciding = Pick<AgentSession, "decide" | "answer">

/** How a request ended, as the event of its session says; written once. */
export interface Ending {
  readonly line: string
  /** The person who decided; undefined if it can no longer be answered. */
  readonly person: string | undefined
  /** Decided by a press or an answer in the chat itself, whose people have seen it. */
  readonly isSeen: boolean
}

export interface Entry {
  /** Id of the row and of the buttons. */
  readonly id: string
  readonly conversation: Conversation
  readonly turnId: string
  /** Replaced at the end: a remembered entry keeps no session alive. */
  session: Deciding
  readonly asked: Asked
  state: RequestState
  ending: Ending | undefined
  isStored: boolean
  isEnded: boolean
  isSendingWhole: boolean
  /** The message as it is there, as JSON, and how many there were. */
  shown: string | undefined
  messages: number
  ref: MessageRef | undefined
  readonly messageIds: Set<string>
  /** Cancels the deadline. */
  stopWaiting: () => void
  /** Its row and its message are changed one after the other. */
  readonly oneAtATime: Semaphore.Semaphore
}

/** Replaces the session of an ended entry. */
const over: Deciding = { decide: () => Effect.succeed(false), answer: () => Effect.succeed(false) }

/** Ended entries that are remembered, for the text of a late press. */
const mostEnded = 1_000

/** Makes the id of a request: it cannot be guessed, and is the same for every caller. */
const makeIds = () => {
  const ids = new WeakMap<Deciding, Map<string, string>>()
  return (session: Deciding, requestId: string): string => {
    const own = ids.get(session) ?? new Map<string, string>()
    ids.set(session, own)
    const id = own.get(requestId) ?? newRequestId()
    own.set(requestId, id)
    return id
  }
}

export const makeEntries = () => {
  const byId = new Map<string, Entry>()
  const bySession = new Map<Deciding, Map<string, Entry>>()
  const ended: Array<string> = []
  const idOf = makeIds()

  return {
    idOf,
    add: (of: Pick<Entry, "conversation" | "turnId" | "session" | "asked">): Entry => {
      const entry: Entry = {
        ...of,
        id: idOf(of.session, of.asked.requestId),
        state: { _tag: "Open", draft: untouched },
        ending: undefined,
        isStored: false,
        isEnded: false,
        isSendingWhole: false,
        shown: undefined,
        messages: 0,
        ref: undefined,
        messageIds: new Set(),
        stopWaiting: () => {},
        oneAtATime: Semaphore.makeUnsafe(1)
      }
      byId.set(entry.id, entry)
      const others = bySession.get(of.session) ?? new Map<string, Entry>()
      bySession.set(of.session, others.set(of.asked.requestId, entry))
      return entry
    },
    byId: (id: string) => byId.get(id),
    of: (session: Deciding, requestId: string) => bySession.get(session)?.get(requestId),
    ofSession: (session: Deciding): ReadonlyArray<Entry> => [...(bySession.get(session)?.values() ?? [])],
    openIn: (conversation: Conversation): ReadonlyArray<Entry> => {
      const place = conversationText(conversation)
      return [...bySession.values()]
        .flatMap((entries) => [...entries.values()])
        .filter((entry) => entry.state._tag === "Open" && conversationText(entry.conversation) === place)
    },
    end: (entry: Entry) => {
      const others = bySession.get(entry.session)
      others?.delete(entry.asked.requestId)
      if (others?.size === 0) bySession.delete(entry.session)
      entry.session = over
      ended.push(entry.id)
      const oldest = ended.length > mostEnded ? ended.shift() : undefined
      if (oldest !== undefined) byId.delete(oldest)
    }
  }
}

export type Entries = ReturnType<typeof makeEntries>
