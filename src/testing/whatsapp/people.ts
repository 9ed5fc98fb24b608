/** The people of the server, and their chats with the business. */
import { clearSigns } from "./signs.ts"

/** A person has a number, a user id for this business, or both. */
export interface Person {
  /** Digits, with the country's. */
  readonly number?: string
  /** Such as `US.1234`. */
  readonly userId?: string
  readonly name?: string
  readonly username?: string
}

/** A number or a user id, or the whole person. */
export type Who = string | Person

export interface Button {
  readonly label: string
  readonly data: string
  readonly description?: string
}

export interface KeptFile {
  readonly id: string
  readonly kind: "image" | "video" | "audio" | "document" | "sticker"
  readonly name?: string
  readonly mimeType: string
  readonly content: Uint8Array
}

export interface Kept {
  readonly messageId: string
  readonly isOurs: boolean
  readonly text: string
  readonly buttons: ReadonlyArray<Button>
  readonly isList: boolean
  readonly file: KeptFile | undefined
  readonly replyTo: string | undefined
  /** `biz_opaque_callback_data`. */
  readonly data: string | undefined
  readonly at: number
}

export interface KeptChat {
  readonly person: Person
  readonly messages: Array<Kept>
  /** When the person wrote last. */
  wroteAt: number | undefined
  /** Not on WhatsApp: a message fails later. */
  isAbsent: boolean
  /** Not in the list of a test number: a message is refused. */
  isUnlisted: boolean
}

/** A message as a person sees it. */
export interface WhatsAppMessage {
  /** The user id of the person, else the number. */
  readonly chat: string
  readonly messageId: string
  readonly name: string
  /** Whether the business sent it. */
  readonly isOurs: boolean
  /** As it was written, with its marks. */
  readonly text: string
  /** Without marks and zero-width spaces. */
  readonly plain: string
  /** The labels of its buttons, or of the rows of its list. */
  readonly buttons: ReadonlyArray<string>
  readonly choices: ReadonlyArray<Button>
  readonly isList: boolean
  readonly files: ReadonlyArray<{ readonly kind: string; readonly name?: string; readonly bytes: number }>
  readonly replyTo?: string
  /** `biz_opaque_callback_data`. */
  readonly data?: string
  /** In ms since 1970. */
  readonly at: number
}

export const ann: Person = { number: "15550001001", userId: "US.1001", name: "Ann", username: "ann" }

export const keyOf = ({ userId, number }: Person): string => userId ?? number ?? ""

const isUserId = (text: string) => /^[A-Z]{2}\./.test(text)

export const makePeople = (now: () => number) => {
  const chats: Array<KeptChat> = []
  let messages = 0

  const get = (id: string): KeptChat | undefined =>
    chats.find(({ person }) => person.userId === id || person.number === id)

  const personOf = (who: Who): Person => {
    if (typeof who !== "string") return { name: `Person ${keyOf(who)}`, ...who }
    if (who === ann.number || who === ann.userId) return ann
    return { [isUserId(who) ? "userId" : "number"]: who, name: `Person ${who}` }
  }

  const open = (who: Who = ann): KeptChat => {
    const person = personOf(who)
    const known = get(keyOf(person)) ?? (person.number === undefined ? undefined : get(person.number))
    if (known !== undefined) return known
    const chat: KeptChat = { person, messages: [], wroteAt: undefined, isAbsent: false, isUnlisted: false }
    chats.push(chat)
    return chat
  }

  const add = (chat: KeptChat, message: Omit<Kept, "messageId" | "at"> & { readonly messageId: string }): Kept => {
    const stored = { ...message, at: now() }
    chat.messages.push(stored)
    return stored
  }

  return {
    open,
    get,
    add,
    /** Has the form of the service: opaque, and with characters of base64. */
    nextId: () => `wamid.${Buffer.from(`HBgLMTU1NTAwMDEw${++messages}`).toString("base64")}`,
    /** The chat of a message, and the message. */
    find: (messageId: string) => {
      for (const chat of chats) {
        const message = chat.messages.find((each) => each.messageId === messageId)
        if (message !== undefined) return { chat, message }
      }
      return undefined
    }
  }
}
export type People = ReturnType<typeof makePeople>

export const shownOf = ({ person }: KeptChat, message: Kept): WhatsAppMessage => {
  const { file } = message
  return {
    chat: keyOf(person),
    messageId: message.messageId,
    name: message.isOurs ? "Business" : (person.name ?? keyOf(person)),
    isOurs: message.isOurs,
    text: message.text,
    plain: clearSigns(message.text),
    buttons: message.buttons.map(({ label }) => label),
    choices: message.buttons,
    isList: message.isList,
    files:
      file === undefined
        ? []
        : [
            {
              kind: file.kind,
              ...(file.name === undefined ? {} : { name: file.name }),
              bytes: file.content.length
            }
          ],
    at: message.at,
    ...(message.replyTo === undefined ? {} : { replyTo: message.replyTo }),
    ...(message.data === undefined ? {} : { data: message.data })
  }
}

const lines = (message: WhatsAppMessage): ReadonlyArray<string> => [
  `${message.isOurs ? "🤖 " : ""}${message.name}`,
  ...message.files.map(({ kind, name = kind, bytes }) => `   📎 ${name}, ${bytes} B`),
  ...(message.text === "" ? [] : message.text.split("\n").map((line) => `   ${line}`)),
  ...(message.isList
    ? message.choices.map(
        ({ label, description }) => `   · ${label}${description === undefined ? "" : `: ${description}`}`
      )
    : message.buttons.map((label) => `   [${label}]`))
]

export const render = (messages: ReadonlyArray<WhatsAppMessage>): string =>
  messages.flatMap((message) => lines(message)).join("\n")
