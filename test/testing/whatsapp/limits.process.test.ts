/** Each limit of the Cloud API: what is just within it is taken, what is just beyond it refused. */
import { expect, it } from "vitest"
import { WhatsAppServer } from "../../../src/testing.ts"

/** A clock that stands still: the server's time is moved on by the test alone. */
const still = { now: () => Date.UTC(2026, 10, 25) }
const [user, number] = ["US.1001", "15550001001"]

// biome-ignore lint/suspicious/noExplicitAny: an answer of any shape
type Answer = Record<string, any>

const call = async ({ url, token }: WhatsAppServer, path: string, init: RequestInit = {}) => {
  const headers = { authorization: `Bearer ${token}`, ...init.headers }
  const response = await fetch(`${url}/${path}`, { ...init, headers })
  return { status: response.status, body: (await response.json()) as Answer }
}

const post = (wa: WhatsAppServer, params: object, path = `${wa.phone}/messages`) =>
  call(wa, path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ messaging_product: "whatsapp", recipient: user, ...params })
  })

const text = (body: string) => ({ type: "text", text: { body } })
const reply = (id: string, title: string) => ({ type: "reply", reply: { id, title } })
const buttons = (...all: ReadonlyArray<object>) => ({
  type: "interactive",
  interactive: { type: "button", body: { text: "?" }, action: { buttons: all } }
})
const list = (rows: ReadonlyArray<object>, button = "Choose") => ({
  type: "interactive",
  interactive: { type: "list", body: { text: "?" }, action: { button, sections: [{ rows }] } }
})
const rows = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `r${at}`, title: `Row ${at}` }))
const ask = (body: string) => ({
  type: "interactive",
  interactive: { type: "button", body: { text: body }, action: { buttons: [reply("a", "A")] } }
})

/** A message that is taken, and one that is not. */
const cases: ReadonlyArray<readonly [string, object, object]> = [
  ["text in code points", text("😀".repeat(4_096)), text("😀".repeat(4_097))],
  ["text that is there", text("x"), text(" ")],
  ["the body of a question", ask("x".repeat(1_024)), ask("x".repeat(1_025))],
  [
    "three buttons",
    buttons(reply("a", "A"), reply("b", "B"), reply("c", "C")),
    buttons(...["a", "b", "c", "d"].map((id) => reply(id, id)))
  ],
  ["a button's title", buttons(reply("a", "x".repeat(20))), buttons(reply("a", "x".repeat(21)))],
  ["a title that is there", buttons(reply("a", "x")), buttons(reply("a", " "))],
  ["a button's id", buttons(reply("x".repeat(256), "A")), buttons(reply("x".repeat(257), "A"))],
  ["titles that differ", buttons(reply("a", "A"), reply("b", "B")), buttons(reply("a", "A"), reply("b", "A"))],
  ["ids that differ", buttons(reply("a", "A"), reply("b", "B")), buttons(reply("a", "A"), reply("a", "B"))],
  ["ten rows", list(rows(10)), list(rows(11))],
  ["a row's title", list([{ id: "r", title: "x".repeat(24) }]), list([{ id: "r", title: "x".repeat(25) }])],
  ["a row's id", list([{ id: "x".repeat(200), title: "A" }]), list([{ id: "x".repeat(201), title: "A" }])],
  [
    "a row's description",
    list([{ id: "r", title: "A", description: "x".repeat(72) }]),
    list([{ id: "r", title: "A", description: "x".repeat(73) }])
  ],
  ["the word of a list", list(rows(1), "x".repeat(20)), list(rows(1), "x".repeat(21))],
  [
    "data",
    { ...text("x"), biz_opaque_callback_data: "ä".repeat(256) },
    { ...text("x"), biz_opaque_callback_data: `${"ä".repeat(256)}x` }
  ],
  ["a recipient", { ...text("x"), to: `+${number}` }, { ...text("x"), to: "ann" }]
]

it.each(cases)("limits %s", async (_, taken, refused) => {
  await using wa = await WhatsAppServer.start({ pace: false })
  wa.open()
  expect((await post(wa, taken)).status).toBe(200)
  expect(wa.violations()).toEqual([])
  const before = wa.chat().length
  const beyond = await post(wa, refused)
  expect(beyond.status).toBe(400)
  expect([100, 131_009]).toContain(beyond.body["error"].code)
  expect(wa.chat()).toHaveLength(before)
})

it("takes 45 messages to one person at once, then one in six seconds, and says 131056", async () => {
  await using wa = await WhatsAppServer.start(still)
  wa.open()
  wa.open("US.2002")
  for (let at = 0; at < 45; at++) expect((await post(wa, text(`${at}`))).status).toBe(200)
  expect((await post(wa, text("too much"))).body["error"].code).toBe(131_056)
  expect((await post(wa, { ...text("another"), recipient: "US.2002" })).status).toBe(200)
  wa.advance(6_000)
  expect((await post(wa, text("one more"))).status).toBe(200)
  expect((await post(wa, text("and another"))).body["error"].code).toBe(131_056)
  expect(wa.violations().map(({ rule }) => rule)).toEqual(["pace", "pace"])
})

const statuses = (wa: WhatsAppServer) => wa.pending().flatMap((each) => (each["status"] === undefined ? [] : [each]))

it("takes a message out of the 24 hours with 200, does not show it, and reports 131047", async () => {
  await using wa = await WhatsAppServer.start(still)
  wa.say("hello")
  wa.advance(86_400_000 - 1)
  expect((await post(wa, text("in time"))).status).toBe(200)
  wa.advance(1)
  const late = await post(wa, { ...text("late"), biz_opaque_callback_data: "row" })
  expect(late.status).toBe(200)
  expect(wa.chat().map((each) => each.text)).toEqual(["hello", "in time"])
  const failed = await wa.until(() => statuses(wa).find((each) => each["status"] === "failed"))
  expect(failed).toMatchObject({
    id: late.body["messages"][0].id,
    biz_opaque_callback_data: "row",
    recipient_user_id: user,
    errors: [{ code: 131_047 }]
  })
  wa.say("here again")
  expect((await post(wa, text("welcome"))).status).toBe(200)
  expect(wa.chat().at(-1)?.text).toBe("welcome")
})

it("knows people who are not there, or not in the list of a test number", async () => {
  await using wa = await WhatsAppServer.start(still)
  wa.open("15550009009", { isUnlisted: true })
  expect((await post(wa, { ...text("x"), to: "15550009009" })).body["error"].code).toBe(131_030)
  wa.open("15550009008", { isAbsent: true })
  expect((await post(wa, { ...text("x"), to: "15550009008" })).status).toBe(200)
  const failed = await wa.until(() => statuses(wa).find((each) => each["status"] === "failed"))
  expect(failed).toMatchObject({ errors: [{ code: 131_026 }], recipient_id: "15550009008" })
})

it("knows a person by the user id, with and without a number", async () => {
  await using wa = await WhatsAppServer.start(still)
  wa.say("one")
  wa.say("two", { from: { userId: "DE.77", name: "Bo" } })
  wa.say("three", { from: "15550002002" })
  const pending = await wa.until(() => (wa.pending().length === 3 ? wa.pending() : undefined))
  expect(pending.map((each) => [each["from"], each["from_user_id"]])).toEqual([
    [number, user],
    [undefined, "DE.77"],
    ["15550002002", undefined]
  ])
  // `to` goes before `recipient`.
  expect((await post(wa, { ...text("x"), to: "15550002002" })).body["contacts"]).toEqual([
    { input: "15550002002", wa_id: "15550002002" }
  ])
  expect(wa.chat("15550002002").at(-1)?.text).toBe("x")
})

it("gives files by an address that is valid for minutes, for the token alone", async () => {
  await using wa = await WhatsAppServer.start(still)
  wa.say("", { image: { content: "png", mimeType: "image/png" } })
  const { id } = Object(wa.pending()[0]?.["image"])
  const media = (await call(wa, id)).body
  expect(media).toMatchObject({ mime_type: "image/png", file_size: "3" })
  const load = (headers: Record<string, string>) => fetch(media["url"], { headers }).then(({ status }) => status)
  const authorization = `Bearer ${wa.token}`
  expect([await load({}), await load({ authorization })]).toEqual([401, 200])
  wa.advance(300_000)
  expect(await load({ authorization })).toBe(404)
  expect((await call(wa, "404")).body["error"].code).toBe(100)
})

it("takes uploads of known types and sizes, and sends them as their kind", async () => {
  await using wa = await WhatsAppServer.start({ pace: false })
  wa.open()
  const upload = async (type: string, bytes: number) => {
    const form = new FormData()
    form.set("messaging_product", "whatsapp")
    form.set("file", new Blob([new Uint8Array(bytes)], { type }), "x")
    return call(wa, `${wa.phone}/media`, { method: "POST", body: form })
  }
  expect((await upload("application/octet-stream", 1)).status).toBe(400)
  expect((await upload("image/png", 0)).status).toBe(400)
  const { id } = (await upload("image/png", 5_000_001)).body
  expect((await post(wa, { type: "image", image: { id } })).body["error"].code).toBe(131_053)
  expect((await post(wa, { type: "document", document: { id, filename: "a.png" } })).status).toBe(200)
  expect((await post(wa, { type: "video", video: { id } })).body["error"].code).toBe(131_053)
  expect(wa.chat().at(-1)?.files).toEqual([{ kind: "document", name: "a.png", bytes: 5_000_001 }])
})

it("says of itself what the account has: number, token, subscriptions", async () => {
  await using wa = await WhatsAppServer.start(still)
  expect((await call(wa, `${wa.phone}?fields=verified_name`)).body).toEqual({
    verified_name: "Test Number",
    id: wa.phone
  })
  expect((await call(wa, `debug_token?input_token=${wa.token}`)).body["data"]).toMatchObject({
    is_valid: true,
    expires_at: 0
  })
  expect((await call(wa, `${wa.waba}/subscribed_apps`)).body["data"]).toHaveLength(1)
  expect((await fetch(`${wa.url}/${wa.phone}`)).status).toBe(401)
})
