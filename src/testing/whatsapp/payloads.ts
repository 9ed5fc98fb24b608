/** Posts of Meta: messages of people, and statuses of messages of the business. */
import type { Kept, KeptChat, KeptFile, Person } from "./people.ts"
import { titleOf } from "./refusal.ts"

export type Json = Readonly<Record<string, unknown>>

/** A message or a status, with the person that it is about. */
export interface News {
  readonly kind: "messages" | "statuses"
  readonly person: Person
  readonly body: Json
}

const secondsOf = (ms: number) => String(Math.floor(ms / 1_000))

const fromOf = ({ number, userId }: Person): Json => ({
  ...(number === undefined ? {} : { from: number }),
  ...(userId === undefined ? {} : { from_user_id: userId })
})

const mediaOf = ({ id, kind, name, mimeType }: KeptFile, caption: string, isVoice: boolean): Json => ({
  ...(caption === "" ? {} : { caption }),
  ...(kind === "document" ? { filename: name ?? "file" } : {}),
  mime_type: mimeType,
  sha256: "x8BdGmX1Wq0T0tGgKvJxQ1w1t5c8pQ2hJ9xJ8pQ2hJ8=",
  id,
  url: "https://lookaside.fbsbx.com/whatsapp_business/attachments/",
  ...(kind === "audio" ? { voice: isVoice } : {})
})

export interface Said {
  readonly isVoice?: boolean
  readonly isForwarded?: boolean
  /** In place of the text: any other kind, such as a sticker. */
  readonly more?: Json
}

export const messageNews = (
  { person }: KeptChat,
  { messageId, text, file, replyTo, at }: Kept,
  quoted: string | undefined,
  { isVoice = false, isForwarded = false, more }: Said
): News => {
  const context = {
    ...(replyTo === undefined ? {} : { id: replyTo, ...(quoted === undefined ? {} : { from: quoted }) }),
    ...(isForwarded ? { forwarded: true } : {})
  }
  const content =
    more ??
    (file === undefined
      ? { type: "text", text: { body: text } }
      : { type: file.kind, [file.kind]: mediaOf(file, text, isVoice) })
  return {
    kind: "messages",
    person,
    body: {
      ...(Object.keys(context).length === 0 ? {} : { context }),
      ...fromOf(person),
      id: messageId,
      timestamp: secondsOf(at),
      ...content
    }
  }
}

export const pressNews = (
  { person }: KeptChat,
  id: string,
  { messageId, isList }: Pick<Kept, "messageId" | "isList">,
  { label, data, description }: { readonly label: string; readonly data: string; readonly description?: string },
  ours: string,
  at: number
): News => {
  const kind = isList ? "list_reply" : "button_reply"
  return {
    kind: "messages",
    person,
    body: {
      context: { from: ours, id: messageId },
      ...fromOf(person),
      id,
      timestamp: secondsOf(at),
      type: "interactive",
      interactive: {
        type: kind,
        [kind]: { id: data, title: label, ...(isList && description !== undefined ? { description } : {}) }
      }
    }
  }
}

export interface StatusFacts {
  readonly status: "sent" | "delivered" | "read" | "failed"
  /** For a failure. */
  readonly code?: number
  readonly details?: string
}

export const statusNews = (
  { person }: KeptChat,
  { messageId, data }: Pick<Kept, "messageId" | "data">,
  { status, code, details = "" }: StatusFacts,
  at: number
): News => ({
  kind: "statuses",
  person,
  body: {
    id: messageId,
    status,
    timestamp: secondsOf(at),
    ...(person.number === undefined ? {} : { recipient_id: person.number }),
    ...(person.userId === undefined ? {} : { recipient_user_id: person.userId }),
    ...(data === undefined ? {} : { biz_opaque_callback_data: data }),
    ...(code === undefined
      ? {}
      : { errors: [{ code, title: titleOf(code), message: titleOf(code), error_data: { details } }] })
  }
})

export interface Account {
  readonly phone: string
  readonly number: string
  readonly waba: string
}

const contactOf = ({ number, userId, name, username }: Person) => ({
  profile: { name: name ?? "", ...(username === undefined ? {} : { username }) },
  ...(number === undefined ? {} : { wa_id: number }),
  ...(userId === undefined ? {} : { user_id: userId })
})

/** One post: a change for each run of messages or statuses, in order. */
export const postOf = ({ phone, number, waba }: Account, news: ReadonlyArray<News>): Json => {
  const runs: Array<Array<News>> = []
  for (const each of news) {
    const last = runs.at(-1)
    if (last?.[0]?.kind === each.kind) last.push(each)
    else runs.push([each])
  }
  const changes = runs.map((run) => {
    const [first] = run
    const people = [...new Set(run.map(({ person }) => person))]
    return {
      value: {
        messaging_product: "whatsapp",
        metadata: { display_phone_number: number, phone_number_id: phone },
        ...(first?.kind === "messages" ? { contacts: people.map(contactOf) } : {}),
        [first?.kind ?? "messages"]: run.map(({ body }) => body)
      },
      field: "messages"
    }
  })
  return { object: "whatsapp_business_account", entry: [{ id: waba, changes }] }
}

/** As Meta writes it: only ASCII, with lower-case escapes and escaped slashes; these bytes are signed. */
export const rawOf = (post: Json): string =>
  JSON.stringify(post)
    .replaceAll("/", "\\/")
    .replace(/[^\0-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
