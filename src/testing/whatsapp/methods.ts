/** The calls of the Graph API that a business makes. */
import { isRecord, type Params } from "../telegram/params.ts"
import { contentOf } from "./content.ts"
import { limits } from "./limits.ts"
import { type StatusFacts, statusNews } from "./payloads.ts"
import type { Kept, KeptChat } from "./people.ts"
import { beyond, invalid, Refusal } from "./refusal.ts"
import type { World } from "./world.ts"

const closed = {
  status: "failed",
  code: 131_047,
  details:
    "Message failed to send because more than 24 hours have passed since the customer last replied to this number."
} as const
const absent = { status: "failed", code: 131_026, details: "Unable to deliver message." } as const

/** Reports by later posts what became of an accepted message. */
const receipts = (
  world: World,
  chat: KeptChat,
  message: Pick<Kept, "messageId" | "data">,
  all: ReadonlyArray<StatusFacts>
) => {
  const { posts, clock } = world
  const tell = () => {
    for (const facts of all) posts.push(statusNews(chat, message, facts, clock.now()))
  }
  if (world.areReceiptsHeld) world.heldReceipts.push(tell)
  else tell()
}

const placeOf = ({ people }: World, { to, recipient, recipient_type = "individual" }: Params): KeptChat => {
  if (recipient_type !== "individual") throw invalid("Only individual recipients are known here.")
  // `to` goes before `recipient`.
  const id = to === undefined || to === "" ? recipient : String(to).replace(/^\+/, "")
  if (typeof id !== "string" || !/^(?:\d{7,15}|[A-Z]{2}\.(?:ENT\.)?\w{1,128})$/.test(id))
    throw invalid("The parameter to is required: a number, or recipient with a user id.")
  const chat = people.open(id)
  if (chat.isUnlisted) throw new Refusal(131_030, "Recipient phone number not in allowed list.")
  return chat
}

const dataOf = ({ biz_opaque_callback_data: data }: Params): string | undefined => {
  if (data === undefined || data === null) return undefined
  if (typeof data !== "string") throw invalid("biz_opaque_callback_data must be a string.")
  if (new TextEncoder().encode(data).length > limits.data) throw beyond("biz_opaque_callback_data is too long.")
  return data
}

const send = (world: World, params: Params) => {
  const { people, pace, clock, media } = world
  const content = contentOf(params, media)
  const data = dataOf(params)
  const chat = placeOf(world, params)
  pace.spend(chat)
  const messageId = people.nextId()
  const { context } = params
  const replyTo = isRecord(context) && typeof context["message_id"] === "string" ? context["message_id"] : undefined
  const isOpen = chat.wroteAt !== undefined && clock.now() - chat.wroteAt < limits.windowMs
  const isShown = isOpen && !chat.isAbsent
  if (isShown) people.add(chat, { ...content, messageId, isOurs: true, replyTo, data })
  const outcome: ReadonlyArray<StatusFacts> = chat.isAbsent
    ? [absent]
    : isOpen
      ? [{ status: "sent" }, { status: "delivered" }]
      : [closed]
  receipts(world, chat, { messageId, data }, outcome)
  const { number, userId } = chat.person
  return {
    messaging_product: "whatsapp",
    contacts: [
      {
        input: String(params["to"] ?? params["recipient"]),
        ...(number === undefined ? {} : { wa_id: number }),
        ...(userId === undefined ? {} : { user_id: userId })
      }
    ],
    messages: [{ id: messageId }]
  }
}

const read = ({ people, hints, clock }: World, { message_id, typing_indicator }: Params) => {
  const found = people.find(String(message_id))
  if (found === undefined || found.message.isOurs) throw invalid("message_id is not that of a message to this number.")
  const isTyping = isRecord(typing_indicator)
  if (isTyping && typing_indicator["type"] !== "text") throw invalid("typing_indicator.type must be text.")
  hints.push({ messageId: found.message.messageId, isTyping, at: clock.now() })
  return { success: true }
}

export const isRead = (params: Params) => params["status"] === "read"

export const messages = (world: World, params: Params) => {
  if (params["messaging_product"] !== "whatsapp") throw invalid("The parameter messaging_product is required.")
  return isRead(params) ? read(world, params) : send(world, params)
}

export const phoneFields = ({ account: { phone, number, name } }: World, fields: string | null) => {
  const all = { display_phone_number: number, verified_name: name, quality_rating: "GREEN" }
  const requested = (fields ?? "display_phone_number,verified_name,quality_rating").split(",")
  return { ...Object.fromEntries(Object.entries(all).filter(([field]) => requested.includes(field))), id: phone }
}

export const debugToken = ({ token, appId, tokenExpiresAt, scopes }: World, input: string | null) => ({
  data:
    input === token
      ? { app_id: appId, type: "SYSTEM_USER", is_valid: true, expires_at: tokenExpiresAt, scopes }
      : { is_valid: false, scopes: [], error: { code: 190, message: "Invalid OAuth access token." } }
})

export const subscribedApps = ({ appId, isSubscribed }: World) => ({
  data: isSubscribed ? [{ whatsapp_business_api_data: { id: appId, link: "https://example.org", name: "Test" } }] : []
})
