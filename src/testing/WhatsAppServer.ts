/** A fake of WhatsApp's Cloud API on loopback, with its limits (`whatsapp/limits.ts`), whose people a test moves. */
import { randomBytes } from "node:crypto"
import { isNodeOk, oldestNode } from "../system/process/nodeVersion.ts"
import { makeCalls, makeSignal, type TelegramCall, type TelegramViolation } from "./telegram/calls.ts"
import { makeClock } from "./telegram/clock.ts"
import { makeFaults } from "./telegram/faults.ts"
import type { WhatsAppFault } from "./whatsapp/faults.ts"
import { listen } from "./whatsapp/http.ts"
import { limits } from "./whatsapp/limits.ts"
import { makeMedia, type SentFile } from "./whatsapp/media.ts"
import { type Json, messageNews, pressNews, type StatusFacts, statusNews } from "./whatsapp/payloads.ts"
import {
  ann,
  type KeptFile,
  keyOf,
  makePeople,
  type Person,
  render,
  shownOf,
  type WhatsAppMessage,
  type Who
} from "./whatsapp/people.ts"
import { makePosts, signatureOf, type WhatsAppPost } from "./whatsapp/posts.ts"
import { makePace, type WhatsAppHint, type WhatsAppPace, type World } from "./whatsapp/world.ts"

export type { WhatsAppFault, WhatsAppHint, WhatsAppMessage, WhatsAppPace, WhatsAppPost }
export type WhatsAppPerson = Person
/** A call of the API: `messages`, `read`, `media`, `file`, `download`, `phone`, `debug_token` or `subscribed_apps`. */
export type WhatsAppCall = TelegramCall
/** A call that a careful client never makes. */
export type WhatsAppViolation = TelegramViolation

export interface WhatsAppServerOptions {
  /** Default: made-up ones. */
  readonly token?: string
  readonly appSecret?: string
  readonly verifyToken?: string
  /** Id of the phone number. Default: a made-up one. */
  readonly phone?: string
  /** In ms since 1970. Default: the machine's time. `advance` moves it on. */
  readonly now?: () => number
  /** How often the business may write to one person; false: as often as it likes. */
  readonly pace?: WhatsAppPace | false
  /** Waiting times before a post is repeated; the last one counts for all further ones. Default: 1 s, longer and longer. */
  readonly repeatMs?: ReadonlyArray<number>
  /** The most messages and statuses of one post. Default: 1,000. */
  readonly perPost?: number
  /** Posts of one moment come in the reverse order. Default: false. */
  readonly reversed?: boolean
}

export interface WhatsAppSaying {
  /** Default: Ann, who has the number 15550001001 and the user id `US.1001`. */
  readonly from?: Who
  readonly document?: SentFile
  readonly image?: SentFile
  readonly audio?: SentFile
  /** An audio file that was recorded in the chat. */
  readonly voice?: SentFile
  readonly video?: SentFile
  /** The text is the caption of the file. */
  readonly replyTo?: Pick<WhatsAppMessage, "messageId">
  readonly forwarded?: boolean
  /** Any other kind of message, such as `{ type: "sticker", sticker: … }`; the text is not sent then. */
  readonly more?: Json
}

/** A number of the Cloud API, and what its people do and see. Closed by `await using`; what is still open is dropped then. */
export interface WhatsAppServer extends AsyncDisposable {
  /** The `apiRoot` of a client. */
  readonly url: string
  readonly token: string
  readonly appSecret: string
  readonly verifyToken: string
  /** The id of the phone number. */
  readonly phone: string
  /** The number itself. */
  readonly number: string
  /** The id of the business account. */
  readonly waba: string

  /** Enters a callback URL: rejects if it does not give the challenge back. Posts go there from now on. */
  readonly subscribe: (url: string) => Promise<void>
  /** The business account sends nothing more to the app. */
  readonly unsubscribe: () => void
  /** A person writes. */
  readonly say: (text: string, options?: WhatsAppSaying) => WhatsAppMessage
  /** Presses a button, or chooses a row, by its label or data; as often as a person likes. Returns the id of the press. */
  readonly press: (message: Pick<WhatsAppMessage, "messageId">, label: string | { readonly data: string }) => string
  /** The chat of a person, who has written so long ago. Default: now. `isAbsent`: is not on WhatsApp; `isUnlisted`: a test number cannot write to them. */
  readonly open: (
    who?: Who,
    state?: { readonly wroteMsAgo?: number; readonly isAbsent?: boolean; readonly isUnlisted?: boolean }
  ) => void
  /** Posts a made-up status of a message of ours. */
  readonly tell: (message: Pick<WhatsAppMessage, "messageId">, status: StatusFacts) => void
  /** Receipts of later messages wait (`held`), or are told, with those that waited (`sent`). */
  readonly receipts: (state: "held" | "sent") => void
  /** Posts what has this message or press once more, as it happens. */
  readonly again: (message: Pick<WhatsAppMessage, "messageId">) => void
  /** The signature of a body. */
  readonly sign: (raw: string) => string

  /** Messages of a person's chat as they see them, in order. */
  readonly chat: (id?: string) => ReadonlyArray<WhatsAppMessage>
  /** The same as text. */
  readonly render: (id?: string) => string
  /** The content of a message's file; undefined without a file. */
  readonly fileOf: (message: Pick<WhatsAppMessage, "messageId">) => Uint8Array | undefined
  /** Messages that the business has read, and where it was shown at work. */
  readonly acknowledgements: () => ReadonlyArray<WhatsAppHint>

  /** Fails the next calls of a method (`*`: any), each once. `webhook`: the posts. */
  readonly fail: (method: string, fault: WhatsAppFault, times?: number) => void
  /** From now on the token is refused. */
  readonly revoke: () => void
  /** Answers of `debug_token`. */
  readonly credentials: (state: { readonly expiresAt?: number; readonly scopes?: ReadonlyArray<string> }) => void
  /** Closes the address until `up`. */
  readonly down: () => Promise<void>
  readonly up: () => Promise<void>
  /** Moves the server's time on: pace, the 24 hours, links, repeats. */
  readonly advance: (ms: number) => void

  /** All calls, in their order. */
  readonly calls: () => ReadonlyArray<WhatsAppCall>
  /** Number of connections to the API so far. */
  readonly connections: () => number
  /** Calls that a careful client never makes. */
  readonly violations: () => ReadonlyArray<WhatsAppViolation>
  /** All attempts to post. */
  readonly posts: () => ReadonlyArray<WhatsAppPost>
  /** The messages and statuses that were not answered with 200 yet, and how many posts were. */
  readonly pending: () => ReadonlyArray<Json>
  readonly confirmed: () => number
  /** Waits until a look at the server gives something. */
  readonly until: <A>(look: () => A | undefined) => Promise<A>
}

const usual = { phone: "106540352242922", number: "15550783881", waba: "102290129340398", name: "Test Number" }
const madeUp = {
  token: "EAAJB-this-is-no-token-of-anybody-000000",
  appSecret: "0123456789abcdef0123456789abcdef",
  verifyToken: "made-up-verify-token"
}

const fileIn = ({ document, image, audio, voice, video }: WhatsAppSaying) =>
  (
    [
      ["document", document],
      ["image", image],
      ["audio", voice ?? audio],
      ["video", video]
    ] as const
  ).find(([, file]) => file !== undefined)

const start = async (options: WhatsAppServerOptions = {}): Promise<WhatsAppServer> => {
  const account = { ...usual, ...(options.phone === undefined ? {} : { phone: options.phone }) }
  if (!isNodeOk(process.version)) throw new Error(`a WhatsAppServer needs Node.js ${oldestNode} or newer`)
  const { token, appSecret, verifyToken } = { ...madeUp, ...options }
  const clock = makeClock(options.now ?? Date.now)
  const signal = makeSignal()
  const [faults, postFaults] = [makeFaults<WhatsAppFault>(), makeFaults<WhatsAppFault>()]
  const calls = makeCalls(clock.now, signal)
  const people = makePeople(clock.now)
  const media = makeMedia(clock.now)
  const posts = makePosts({
    clock,
    account,
    appSecret,
    repeatMs: options.repeatMs ?? limits.repeatMs,
    perPost: options.perPost ?? limits.perPost,
    isReversed: options.reversed ?? false,
    takeFault: () => {
      const fault = postFaults.take("webhook")
      return fault === "cutBefore" || fault === "cutAfter" ? fault : undefined
    },
    notify: signal.notify
  })
  const world: World = {
    clock,
    account,
    token,
    appId: "670843887433847",
    people,
    media,
    posts,
    hints: [],
    pace: makePace(clock.now, options.pace ?? {}),
    areReceiptsHeld: false,
    heldReceipts: [],
    tokenExpiresAt: 0,
    scopes: ["whatsapp_business_management", "whatsapp_business_messaging"],
    isSubscribed: true
  }
  let isRevoked = false
  const revoke = () => {
    isRevoked = true
  }
  const { origin, connections, down, up } = await listen({
    world,
    faults,
    calls,
    isRevoked: () => isRevoked,
    revoke,
    notify: signal.notify
  })
  /** Waiters look again after each change. */
  const noticed =
    <Arguments extends ReadonlyArray<unknown>, A>(act: (...args: Arguments) => A) =>
    (...args: Arguments): A => {
      const result = act(...args)
      signal.notify()
      return result
    }
  const messageOf = ({ messageId }: Pick<WhatsAppMessage, "messageId">) => {
    const found = people.find(messageId)
    if (found === undefined) throw new Error(`unknown message ${messageId}`)
    return found
  }
  const visible = (id = keyOf(ann)) => {
    const chat = people.get(id)
    return chat === undefined ? [] : chat.messages.map((message) => shownOf(chat, message))
  }

  const say = (text: string, saying: WhatsAppSaying = {}): WhatsAppMessage => {
    const chat = people.open(saying.from)
    const [kind, content] = fileIn(saying) ?? []
    const file: KeptFile | undefined =
      kind === undefined || content === undefined ? undefined : media.add(kind, content)
    const replyTo = saying.replyTo?.messageId
    const quoted = replyTo === undefined ? undefined : people.find(replyTo)
    chat.wroteAt = clock.now()
    const message = people.add(chat, {
      ...{ messageId: people.nextId(), isOurs: false, text, buttons: [], isList: false, file, replyTo, data: undefined }
    })
    posts.push(
      messageNews(chat, message, quoted?.message.isOurs === true ? account.number : chat.person.number, {
        isVoice: saying.voice !== undefined,
        isForwarded: saying.forwarded === true,
        ...(saying.more === undefined ? {} : { more: saying.more })
      })
    )
    return shownOf(chat, message)
  }

  const press: WhatsAppServer["press"] = (key, label) => {
    const { chat, message } = messageOf(key)
    const button =
      typeof label === "object" ? { label: "made up", ...label } : message.buttons.find((each) => each.label === label)
    if (button === undefined) throw new Error(`message ${key.messageId} has no button ${String(label)}`)
    const id = people.nextId()
    chat.wroteAt = clock.now()
    posts.push(pressNews(chat, id, message, button, account.number, clock.now()))
    return id
  }

  return {
    url: `${origin}/v26.0`,
    token,
    appSecret,
    verifyToken,
    ...{ phone: account.phone, number: account.number, waba: account.waba },
    subscribe: async (url) => {
      const challenge = randomBytes(8).toString("hex")
      const address = new URL(url)
      const query = { "hub.mode": "subscribe", "hub.challenge": challenge, "hub.verify_token": verifyToken }
      for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
      const response = await fetch(address, { redirect: "manual" })
      if (response.status !== 200 || (await response.text()) !== challenge)
        throw new Error("the callback URL or the verify token could not be validated")
      posts.to(url)
    },
    unsubscribe: () => {
      world.isSubscribed = false
    },
    say: noticed(say),
    press: noticed(press),
    open: noticed((who, { wroteMsAgo = 0, isAbsent = false, isUnlisted = false } = {}) => {
      Object.assign(people.open(who), { wroteAt: clock.now() - wroteMsAgo, isAbsent, isUnlisted })
    }),
    tell: noticed((key, status) => {
      const { chat, message } = messageOf(key)
      posts.push(statusNews(chat, message, status, clock.now()))
    }),
    receipts: noticed((state) => {
      world.areReceiptsHeld = state === "held"
      if (state === "held") return
      for (const tell of world.heldReceipts.splice(0)) tell()
    }),
    again: noticed(({ messageId }) => posts.again(messageId)),
    sign: (raw) => signatureOf(raw, appSecret),
    chat: visible,
    render: (id) => render(visible(id)),
    fileOf: (key) => messageOf(key).message.file?.content,
    acknowledgements: () => [...world.hints],
    fail: (method, fault, times = 1) => (method === "webhook" ? postFaults : faults).add(method, fault, times),
    revoke,
    credentials: ({ expiresAt, scopes }) => {
      world.tokenExpiresAt = expiresAt ?? world.tokenExpiresAt
      world.scopes = scopes ?? world.scopes
    },
    down,
    up,
    advance: noticed(clock.advance),
    calls: calls.calls,
    connections,
    violations: calls.violations,
    posts: posts.attempts,
    pending: posts.pending,
    confirmed: posts.confirmed,
    until: signal.until,
    [Symbol.asyncDispose]: async () => {
      posts.close()
      clock.close()
      await down()
    }
  }
}

/** `await using wa = await WhatsAppServer.start()`: its `url`, `token` and ids are a client's, the rest is the other side. */
export const WhatsAppServer = { start }
