/**
 * One post of Meta → updates of the channel; pure. What is of no use for a bridge is dropped, such as a reaction. Update ids
 * come from messages and statuses, so that repeated posts are deduplicated.
 */
import { Option } from "effect"
import type { ChannelMessage, MessageAttachment, Sender } from "../../../bridge/messages/ChannelMessage.ts"
import type { Incoming, Receipt } from "../../../bridge/messages/Incoming.ts"
import { present } from "../../../contract/present.ts"
import { detailsOf, isClosed } from "../calls/failure.ts"
import { channelId } from "../WhatsAppOptions.ts"
import {
  readChange,
  readContact,
  readMessage,
  readPost,
  readStatus,
  type WireContact,
  type WireMedia,
  type WireMessage,
  type WireStatus
} from "./wire.ts"

/** The content of one post. */
export interface Post {
  readonly incoming: ReadonlyArray<Incoming>
  /** Number of malformed messages and statuses, which are skipped. */
  readonly malformed: number
  /** People whom WhatsApp knows by another id from now on. */
  readonly moved: ReadonlyArray<{ readonly before: string; readonly now: string }>
}

const nothing: Post = { incoming: [], malformed: 0, moved: [] }

const lines = (texts: ReadonlyArray<string | null | undefined>) => texts.find((text) => text) ?? undefined

/** Kinds without anything that an agent could use: the person is told so, by an empty message. */
const useless: ReadonlySet<string> = new Set(["unsupported", "sticker", "location", "contacts", "order"])

const attachment = (kind: MessageAttachment["kind"], { id, filename, mime_type }: WireMedia): MessageAttachment => ({
  kind,
  fileId: id,
  ...present({ name: filename?.slice(0, 255), mimeType: mime_type?.slice(0, 255) })
})

const attachmentsOf = ({ image, audio, video, document }: WireMessage): ReadonlyArray<MessageAttachment> =>
  (
    [
      ["image", image],
      [audio?.voice === true ? "voice" : "audio", audio],
      ["video", video],
      ["document", document]
    ] as const
  ).flatMap(([kind, media]) => (media ? [attachment(kind, media)] : []))

const wordsOf = ({ text, button, image, video, document }: WireMessage): string | undefined =>
  text?.body ?? button?.text ?? lines([image?.caption, video?.caption, document?.caption])

const digits = (text: string | null | undefined) => (text ?? "").replace(/\D/g, "")

const readAll = <A>(inputs: ReadonlyArray<unknown> | null | undefined, read: (input: unknown) => Option.Option<A>) => {
  const found = (inputs ?? []).map(read)
  return { read: found.flatMap(Option.toArray), malformed: found.filter(Option.isNone).length }
}

/** `phone`: the id of the number whose posts are taken; others may come to the same address. */
export const makeDecode = (phone: string) => {
  const idsOf = ({ from, from_user_id }: WireMessage, contact: WireContact | undefined) => {
    const number = from || contact?.wa_id || undefined
    const userId = from_user_id || contact?.user_id || undefined
    return { id: userId ?? number, number: userId === undefined ? undefined : number }
  }

  const contactOf = ({ from, from_user_id }: WireMessage, contacts: ReadonlyArray<WireContact>) =>
    contacts.find(({ wa_id, user_id }) => (from ? wa_id === from : from_user_id ? user_id === from_user_id : false))

  const senderOf = (message: WireMessage, contacts: ReadonlyArray<WireContact>): Sender | undefined => {
    const contact = contactOf(message, contacts)
    const { id, number } = idsOf(message, contact)
    if (id === undefined) return undefined
    const { name, username } = contact?.profile ?? {}
    return {
      id,
      ...present({ ids: number === undefined ? undefined : [number] }),
      ...present({ name: name || undefined, username: username || undefined }),
      isBot: false
    }
  }

  const placeOf = (chatId: string) => ({ channel: channelId, accountId: phone, chatId })

  const pressed = (message: WireMessage, sender: Sender): Incoming | undefined => {
    const { interactive, id, context } = message
    const reply = interactive?.button_reply ?? interactive?.list_reply
    if (!reply) return undefined
    return {
      _tag: "Pressed",
      conversation: placeOf(sender.id),
      updateId: id,
      chat: "direct",
      sender,
      ...present({ messageId: context?.id ?? undefined }),
      data: reply.id,
      press: null
    }
  }

  const replyOf = ({ context }: WireMessage, ours: string): ChannelMessage["replyTo"] =>
    context?.id ? { messageId: context.id, ours: ours !== "" && digits(context.from) === ours } : undefined

  const ofMessage = (message: WireMessage, contacts: ReadonlyArray<WireContact>, ours: string) => {
    // Groups of the Cloud API are not served.
    if (message.group_id) return undefined
    const sender = senderOf(message, contacts)
    if (sender === undefined) return undefined
    if (message.type === "interactive") return pressed(message, sender)
    const attachments = attachmentsOf(message)
    const words = wordsOf(message)
    if (words === undefined && attachments.length === 0 && !useless.has(message.type)) return undefined
    const { context, id, timestamp } = message
    const isForwarded = context?.forwarded === true || context?.frequently_forwarded === true
    return {
      _tag: "Message",
      message: {
        conversation: placeOf(sender.id),
        updateId: id,
        messageId: id,
        chat: "direct",
        sentAt: Number(timestamp) * 1_000 || 0,
        sender,
        text: words ?? "",
        attachments,
        ...present({ replyTo: replyOf(message, ours) }),
        addressed: true,
        ...(isForwarded ? { forwarded: true } : {})
      }
    } satisfies Incoming
  }

  const ofStatus = ({ id, status, biz_opaque_callback_data, errors }: WireStatus): Receipt | undefined => {
    const own = {
      _tag: "Receipt" as const,
      updateId: `${id}:${status}`,
      ...present({ key: biz_opaque_callback_data || undefined }),
      messageId: id
    }
    if (/^(?:sent|delivered|read|played)$/.test(status)) return { ...own, state: "sent" }
    if (status !== "failed") return undefined
    const [error] = errors ?? []
    if (error === undefined) return { ...own, state: "failed" }
    return isClosed(error) ? { ...own, state: "closed" } : { ...own, state: "failed", reason: detailsOf(error) }
  }

  const movedOf = ({ system, from, from_user_id }: WireMessage): Post["moved"] => {
    if (!system || !/^(?:user_changed|customer_changed)/.test(system.type ?? "")) return []
    const before = system.previous_user_id || from_user_id || from
    const now = system.user_id || system.wa_id
    return before && now && before !== now ? [{ before, now }] : []
  }

  const ofChange = (input: unknown): Post => {
    const change = Option.getOrUndefined(readChange(input))
    if (change === undefined || change.value.metadata.phone_number_id !== phone) return nothing
    const { metadata, contacts, messages, statuses } = change.value
    const people = readAll(contacts, readContact).read
    const ours = digits(metadata.display_phone_number)
    const [messagesRead, statusesRead] = [readAll(messages, readMessage), readAll(statuses, readStatus)]
    return {
      incoming: [
        ...messagesRead.read.map((message) => ofMessage(message, people, ours)),
        ...statusesRead.read.map((status) => ofStatus(status))
      ].filter((each) => each !== undefined),
      malformed: messagesRead.malformed + statusesRead.malformed,
      moved: messagesRead.read.flatMap(movedOf)
    }
  }

  return (input: unknown): Post => {
    const post = Option.getOrUndefined(readPost(input))
    const all = (post?.entry ?? []).flatMap(({ changes }) => changes.map(ofChange))
    return {
      incoming: all.flatMap(({ incoming }) => incoming),
      malformed: all.reduce((sum, { malformed }) => sum + malformed, 0),
      moved: all.flatMap(({ moved }) => moved)
    }
  }
}
