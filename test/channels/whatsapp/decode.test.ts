/** Posts of Meta → updates; what is unreadable or of no use is passed over, and takes nothing with it. */
import { assert, describe, it } from "vitest"
import type { Incoming } from "../../../src/bridge/messages/Incoming.ts"
import { makeDecode } from "../../../src/channels/whatsapp/incoming/decode.ts"
import { ann, annNumber, phone, place } from "./kit.ts"

const decode = makeDecode(phone)
const ours = "15550783881"

const contact = { profile: { name: "Ann", username: "ann" }, wa_id: annNumber, user_id: ann }

const posted = (value: object, { id = phone, field = "messages", object = "whatsapp_business_account" } = {}) => ({
  object,
  entry: [
    {
      id: "1",
      changes: [{ field, value: { metadata: { display_phone_number: `+${ours}`, phone_number_id: id }, ...value } }]
    }
  ]
})

const message = (content: object) => ({
  from: annNumber,
  from_user_id: ann,
  id: "wamid.A1",
  timestamp: "1764000000",
  ...content
})

const only = (content: object, contacts: ReadonlyArray<object> = [contact]): Incoming | undefined =>
  // JSON has no undefined.
  decode(JSON.parse(JSON.stringify(posted({ contacts, messages: [message(content)] })))).incoming[0]

const messageOf = (content: object, contacts?: ReadonlyArray<object>) => {
  const incoming = only(content, contacts)
  if (incoming?._tag !== "Message") throw new Error(`not a message: ${JSON.stringify(incoming)}`)
  return incoming.message
}

const sender = { id: ann, ids: [annNumber], name: "Ann", username: "ann", isBot: false }

describe("a message of WhatsApp", () => {
  it("has the person's id for this business, and the number beside it", () => {
    assert.deepStrictEqual(messageOf({ type: "text", text: { body: "hé" } }), {
      conversation: place,
      updateId: "wamid.A1",
      messageId: "wamid.A1",
      chat: "direct",
      sentAt: 1_764_000_000_000,
      sender,
      text: "hé",
      attachments: [],
      addressed: true
    })
  })

  it.each([
    ["a number alone", { from: annNumber, from_user_id: undefined }, [{ wa_id: annNumber }], annNumber, undefined],
    ["a user id alone", { from: undefined }, [{ user_id: ann, profile: { name: "Ann" } }], ann, undefined],
    ["the contact's user id", { from_user_id: undefined }, [contact], ann, [annNumber]],
    ["no contact", {}, [], ann, [annNumber]]
  ])("is of whom WhatsApp names: %s", (_, from, contacts, id, ids) => {
    const own = messageOf({ ...from, type: "text", text: { body: "x" } }, contacts)
    assert.deepStrictEqual([own.sender.id, own.sender.ids, own.conversation.chatId], [id, ids, id])
  })

  it.each([
    ["image", { image: { id: "1", mime_type: "image/jpeg", caption: "look" } }, "look", "image"],
    ["audio", { audio: { id: "1", mime_type: "audio/ogg", voice: true } }, "", "voice"],
    ["audio", { audio: { id: "1", mime_type: "audio/mpeg", voice: false } }, "", "audio"],
    ["video", { video: { id: "1", mime_type: "video/mp4" } }, "", "video"],
    ["document", { document: { id: "1", mime_type: "text/plain", filename: "a.txt", caption: "c" } }, "c", "document"]
  ])("has a file: %s", (type, content, text, kind) => {
    const own = messageOf({ type, ...content })
    assert.strictEqual(own.text, text)
    assert.deepInclude(own.attachments[0] ?? {}, { kind, fileId: "1" })
    assert.strictEqual(own.attachments.length, 1)
  })

  it("has the text of a template's button, what it quotes, and whether it was forwarded", () => {
    assert.strictEqual(messageOf({ type: "button", button: { text: "Yes", payload: "p" } }).text, "Yes")
    const text = { type: "text", text: { body: "x" } }
    const quoting = (from: string) => messageOf({ ...text, context: { id: "wamid.Q", from } }).replyTo
    assert.deepStrictEqual(quoting(ours), { messageId: "wamid.Q", ours: true })
    assert.deepStrictEqual(quoting(annNumber), { messageId: "wamid.Q", ours: false })
    assert.isTrue(messageOf({ ...text, context: { forwarded: true } }).forwarded)
    assert.isTrue(messageOf({ ...text, context: { frequently_forwarded: true } }).forwarded)
  })

  it.each(["unsupported", "sticker", "location", "contacts", "order"])("is empty for its person: %s", (type) => {
    assert.deepInclude(messageOf({ type, [type]: {} }), { text: "", attachments: [] })
  })

  it.each([
    ["a reaction", { type: "reaction", reaction: { emoji: "👍", message_id: "wamid.X" } }],
    ["a welcome", { type: "request_welcome" }],
    ["a group's", { type: "text", text: { body: "x" }, group_id: "g" }],
    ["a form", { type: "interactive", interactive: { type: "nfm_reply", nfm_reply: {} } }],
    ["a new kind", { type: "hologram" }],
    ["nobody's", { from: undefined, from_user_id: undefined, type: "text", text: { body: "x" } }]
  ])("is passed over: %s", (_, content) => {
    assert.isUndefined(only(content, []))
  })

  it.each(["button_reply", "list_reply"])("is a press, by its id: %s", (kind) => {
    const interactive = { type: kind, [kind]: { id: "r:1:a", title: "Allow" } }
    assert.deepStrictEqual<unknown>(
      only({ type: "interactive", interactive, context: { id: "wamid.Q", from: ours } }),
      {
        _tag: "Pressed",
        conversation: place,
        updateId: "wamid.A1",
        chat: "direct",
        sender,
        messageId: "wamid.Q",
        data: "r:1:a",
        press: null
      }
    )
  })
})

describe("a status of WhatsApp", () => {
  const status = (own: object) =>
    decode(posted({ statuses: [{ id: "wamid.S", timestamp: "1", biz_opaque_callback_data: "row", ...own }] }))
      .incoming[0]
  const receipt = (word: string, more: object) => ({
    _tag: "Receipt",
    updateId: `wamid.S:${word}`,
    key: "row",
    messageId: "wamid.S",
    ...more
  })

  it.each(["sent", "delivered", "read", "played"])("says that it arrived: %s", (word) => {
    assert.deepStrictEqual<unknown>(status({ status: word }), receipt(word, { state: "sent" }))
  })

  it("says that the person must write first, or why it failed, in a line", () => {
    const failed = (errors: ReadonlyArray<object>) => status({ status: "failed", errors })
    assert.deepStrictEqual<unknown>(
      failed([{ code: 131_047, title: "Re-engagement message" }]),
      receipt("failed", { state: "closed" })
    )
    assert.deepStrictEqual<unknown>(
      failed([{ code: 131_026, title: "Message undeliverable", error_data: { details: "Unable\u202e to deliver." } }]),
      receipt("failed", { state: "failed", reason: "Unable to deliver." })
    )
    assert.deepStrictEqual<unknown>(failed([]), receipt("failed", { state: "failed" }))
  })

  it("is nothing where it is of a new kind", () => {
    assert.isUndefined(status({ status: "pondered" }))
  })
})

describe("a post of WhatsApp", () => {
  const text = message({ type: "text", text: { body: "x" } })

  it("may have much in it: what is unreadable is counted, and the rest is heard in order", () => {
    const { incoming, malformed } = decode({
      object: "whatsapp_business_account",
      entry: [
        {
          changes: [
            {
              field: "messages",
              value: {
                metadata: { phone_number_id: phone },
                contacts: [contact, 7],
                messages: [{ ...text, id: "wamid.1" }, null, { id: 5 }, { ...text, id: "wamid.2" }]
              }
            },
            null,
            { field: "account_alerts", value: {} }
          ]
        },
        {
          changes: [
            {
              field: "messages",
              value: { metadata: { phone_number_id: phone }, statuses: [{ id: "wamid.3", status: "sent" }, "x"] }
            }
          ]
        }
      ]
    })
    assert.deepStrictEqual(
      incoming.map((each) => (each._tag === "Message" ? each.message.updateId : "updateId" in each && each.updateId)),
      ["wamid.1", "wamid.2", "wamid.3:sent"]
    )
    assert.strictEqual(malformed, 3)
  })

  it.each<[string, unknown]>([
    ["another number", posted({ messages: [text] }, { id: "1" })],
    ["another field", posted({ messages: [text] }, { field: "message_template_status_update" })],
    ["another object", posted({ messages: [text] }, { object: "instagram" })],
    ["nothing", undefined],
    ["a list", []],
    ["no entries", { object: "whatsapp_business_account" }],
    ["null", null]
  ])("is passed over: %s", (_, input) => {
    assert.deepStrictEqual(decode(input), { incoming: [], malformed: 0, moved: [] })
  })

  it("names both ids of a person who has another one now, and passes no rights on", () => {
    const system = { type: "user_changed_user_id", previous_user_id: ann, user_id: "US.2002" }
    const { incoming, moved } = decode(posted({ messages: [message({ type: "system", system })] }))
    assert.deepStrictEqual([incoming, moved], [[], [{ before: ann, now: "US.2002" }]])
  })
})
