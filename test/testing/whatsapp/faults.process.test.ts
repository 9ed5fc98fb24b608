/** Faults of the server: each is what a client sees, and what a person sees is whether it was done. */
import { expect, it } from "vitest"
import { type WhatsAppFault, WhatsAppServer } from "../../../src/testing.ts"

const send = (wa: WhatsAppServer, body: string, signal?: AbortSignal) =>
  fetch(`${wa.url}/${wa.phone}/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${wa.token}`, "content-type": "application/json" },
    body: JSON.stringify({ messaging_product: "whatsapp", to: "15550001001", type: "text", text: { body } }),
    ...(signal === undefined ? {} : { signal })
  })

const cases: ReadonlyArray<readonly [WhatsAppFault, number | "cut", boolean]> = [
  ["cutBefore", "cut", false],
  ["cutAfter", "cut", true],
  ["badGateway", 502, false],
  ["badGatewayAfter", 502, true],
  ["invalidJson", 200, true],
  ["unauthorized", 401, false],
  [{ code: 131_056, retryAfter: 7 }, 400, false],
  [{ code: 131_016, status: 503 }, 503, false]
]

it.each(cases)("%j", async (fault, status, isDone) => {
  await using wa = await WhatsAppServer.start({ pace: false })
  wa.open()
  wa.fail("messages", fault)
  const answer = await send(wa, "x").catch(() => "cut" as const)
  expect(answer === "cut" ? answer : answer.status).toBe(status)
  if (answer !== "cut" && typeof fault === "object" && "retryAfter" in fault)
    expect(answer.headers.get("retry-after")).toBe("7")
  expect(wa.chat()).toHaveLength(isDone ? 1 : 0)
  expect((await send(wa, "y")).status).toBe(200)
})

it.each([
  ["hang", 0],
  ["hangAfter", 1]
] as const)("%s for as long as the client waits", async (fault, count) => {
  await using wa = await WhatsAppServer.start({ pace: false })
  wa.open()
  wa.fail("messages", fault)
  const leaving = new AbortController()
  const sending = send(wa, "x", leaving.signal).catch(() => "left")
  await wa.until(() => wa.calls().find(({ outcome }) => outcome === "open"))
  if (fault === "hangAfter") await wa.until(() => (wa.chat().length === 1 ? true : undefined))
  leaving.abort()
  expect(await sending).toBe("left")
  await wa.until(() => wa.calls().find(({ outcome }) => outcome === "left"))
  expect(wa.chat()).toHaveLength(count)
})

it("can be down, slow, and refuse its token for good", async () => {
  await using wa = await WhatsAppServer.start({ pace: false, now: () => 0 })
  wa.open()
  await wa.down()
  await expect(send(wa, "x")).rejects.toThrow()
  await wa.up()
  wa.fail("messages", { slowMs: 5_000 })
  const sending = send(wa, "slow")
  await wa.until(() => (wa.chat().length === 1 ? true : undefined))
  wa.advance(5_000)
  expect((await sending).status).toBe(200)
  wa.fail("messages", "revoked")
  expect([(await send(wa, "x")).status, (await send(wa, "y")).status]).toEqual([401, 401])
})
