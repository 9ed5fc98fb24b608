/**
 * A foreign client is the judge of the server: `whatsapp-api-js` verifies its posts and writes to it as to WhatsApp, and a
 * person sees what the client's author meant.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it } from "vitest"
import {
  ActionButtons,
  ActionList,
  Body,
  Button,
  Document,
  Interactive,
  ListSection,
  Row,
  Text
} from "whatsapp-api-js/messages"
import { WhatsAppAPI } from "whatsapp-api-js/middleware/node-http"
import { WhatsAppServer, type WhatsAppServerOptions } from "../../../src/testing.ts"

const open = async (options: WhatsAppServerOptions = {}) => {
  // The client reads the first message of a post alone.
  const wa = await WhatsAppServer.start({ perPost: 1, repeatMs: [10], ...options })
  const client = new WhatsAppAPI({
    token: wa.token,
    appSecret: wa.appSecret,
    webhookVerifyToken: wa.verifyToken,
    v: "v26.0",
    secure: true,
    ponyfill: {
      fetch: (input: string | URL | Request, init?: RequestInit) =>
        fetch(String(input).replace("https://graph.facebook.com", new URL(wa.url).origin), init)
    }
  })
  const statuses: Array<number> = []
  let refusals = 0
  const server = createServer(async (request, response) => {
    if (request.method === "GET") {
      try {
        response.end(client.handle_get(request))
      } catch (status) {
        response.writeHead(Number(status)).end()
      }
      return
    }
    if (refusals > 0) {
      refusals -= 1
      return void response.writeHead(503).end()
    }
    const status = await client.handle_post(request)
    statuses.push(status)
    response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return {
    ...{ wa, client, statuses, address },
    refuseNext: (times: number) => {
      refusals = times
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await wa[Symbol.asyncDispose]()
    }
  }
}

const visible = (wa: WhatsAppServer, plain: string) =>
  wa.until(() => wa.chat().find((message) => message.isOurs && message.plain === plain))

it("is subscribed to by the challenge, and by the right verify token alone", async () => {
  await using all = await open()
  await all.wa.subscribe(all.address)
  await using other = await open({ verifyToken: "another-verify-token" })
  await expect(other.wa.subscribe(all.address)).rejects.toThrow("could not be validated")
})

it("talks: text, buttons, a list, files, receipts with our data, reading and typing", async () => {
  await using all = await open()
  const { wa, client, statuses } = all
  const receipts: Array<string> = []
  client.on.status = ({ status, biz_opaque_callback_data, id }) =>
    void receipts.push(`${status} ${biz_opaque_callback_data} ${id === undefined ? "" : "id"}`)
  client.on.message = async ({ message, reply, received, name, contact }) => {
    await received("text")
    if (message.type === "text" && message.text.body === "hé 👋/")
      await reply(new Text(`hello ${name} ${contact.user_id}`), true, "row-1")
    if (message.type === "text" && message.text.body === "buttons")
      await reply(
        new Interactive(new ActionButtons(new Button("y", "Yes"), new Button("n", "No")), new Body("Shall I?"))
      )
    if (message.type === "text" && message.text.body === "list")
      await reply(
        new Interactive(
          new ActionList("Choose", new ListSection("All", new Row("r1", "One", "the first"), new Row("r2", "Two"))),
          new Body("Which?")
        )
      )
    if (message.type === "interactive") {
      const { interactive } = message
      if (interactive.type === "button_reply") await reply(new Text(`pressed ${interactive.button_reply.id}`))
      if (interactive.type === "list_reply") await reply(new Text(`chose ${interactive.list_reply.id}`))
    }
    if (message.type === "document") {
      const media = await client.retrieveMedia(message.document.id, wa.phone)
      if (!("url" in media)) throw new Error("no address")
      const content = await (await client.fetchMedia(media.url)).text()
      const form = new FormData()
      form.set("messaging_product", "whatsapp")
      form.set("file", new Blob([content.toUpperCase()], { type: "text/plain" }), "b.txt")
      const uploaded = await client.uploadMedia(wa.phone, form)
      if (!("id" in uploaded)) throw new Error("no id")
      await reply(new Document(uploaded.id, true, "in capitals", "b.txt"))
    }
  }
  await wa.subscribe(all.address)
  const first = wa.say("hé 👋/")
  const answer = await visible(wa, "hello Ann US.1001")
  expect([answer.replyTo, answer.data]).toEqual([first.messageId, "row-1"])
  await wa.until(() => (receipts.includes("delivered row-1 id") ? true : undefined))
  expect(receipts).toContain("sent row-1 id")
  wa.say("buttons")
  wa.press(await visible(wa, "Shall I?"), "No")
  await visible(wa, "pressed n")
  wa.say("list")
  const question = await visible(wa, "Which?")
  expect([question.isList, question.buttons]).toEqual([true, ["One", "Two"]])
  wa.press(question, "Two")
  await visible(wa, "chose r2")
  wa.say("", { document: { name: "a.txt", content: "hello", mimeType: "text/plain" } })
  const back = await wa.until(() => wa.chat().find(({ isOurs, files }) => isOurs && files.length > 0))
  expect(new TextDecoder().decode(wa.fileOf(back))).toBe("HELLO")
  expect(back.files[0]).toMatchObject({ kind: "document", name: "b.txt" })
  expect(wa.acknowledgements()[0]).toMatchObject({ messageId: first.messageId, isTyping: true })
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(wa.violations()).toEqual([])
})

it("is not believed with another secret, and repeats until it is answered with 200", async () => {
  await using all = await open()
  const received: Array<string> = []
  all.client.on.message = ({ message }) =>
    void received.push(message.type === "text" ? message.text.body : message.type)
  await all.wa.subscribe(all.address)
  all.refuseNext(2)
  all.wa.say("again and again")
  await all.wa.until(() => (all.wa.confirmed() === 1 ? true : undefined))
  expect(all.wa.posts().map(({ status, attempt }) => [status, attempt])).toEqual([
    [503, 1],
    [503, 2],
    [200, 3]
  ])
  expect(received).toEqual(["again and again"])
  await using forger = await open({ appSecret: "fedcba9876543210fedcba9876543210" })
  await forger.wa.subscribe(all.address)
  forger.wa.say("forged")
  await forger.wa.until(() => forger.wa.posts().find(({ status }) => status === 401))
  expect(received).toEqual(["again and again"])
})

it("refuses as WhatsApp does: the code is the client's to read", async () => {
  await using all = await open()
  const { wa, client } = all
  wa.open()
  const long = await client.sendMessage(wa.phone, { bsuid: "US.1001" }, {
    _type: "text",
    body: "x".repeat(4_097)
  } as Text)
  expect(long).toMatchObject({ error: { code: 100, type: "OAuthException" } })
  wa.revoke()
  const refused = await client.sendMessage(wa.phone, { bsuid: "US.1001" }, new Text("x"))
  expect(refused).toMatchObject({ error: { code: 190 } })
})
