/** Files in three steps, whose message is found by `files.info`; downloads; and answers to presses by their address. */
import { expect, it } from "vitest"
import { SlackServer, type SlackServerOptions } from "../../../src/testing.ts"
import { connect, type Json, post, still } from "./client.ts"

const open = async (options: SlackServerOptions = {}) => {
  const slack = await SlackServer.start({ ...still, pace: false, ...options })
  slack.open("C1")
  const begin = (filename: string, length: number) => post(slack, "files.getUploadURLExternal", { filename, length })
  const upload = (url: unknown, body: string) => fetch(String(url), { method: "POST", body })
  const complete = (id: unknown, more: Json = {}) =>
    post(slack, "files.completeUploadExternal", { files: [{ id, title: "A" }], channel_id: "C1", ...more })
  return { slack, begin, upload, complete }
}

it("shows a file behind the third step, and tells where by files.info alone", async () => {
  const { slack, begin, upload, complete } = await open({ sharesAfterMs: 2_000 })
  await using _ = slack
  const root = slack.say("root", { chat: "C1" })
  const { upload_url: url, file_id: id } = await begin("a.txt", 5)
  expect((await complete(id)).error).toBe("file_not_found")
  expect((await upload(url, "four")).status).toBe(400)
  expect(await (await upload(url, "hello")).text()).toBe("OK - 5")
  expect(slack.chat("C1")).toHaveLength(1)
  const completed = await complete(id, { thread_ts: root.messageId })
  expect(completed["files"]).toMatchObject([{ id, title: "A", name: "a.txt" }])
  expect(JSON.stringify(completed)).not.toContain('"ts"')
  const shares = async () => ((await post(slack, "files.info", { file: id }))["file"] as Json)["shares"]
  expect(await shares()).toEqual({})
  slack.advance(2_000)
  const [, sent] = slack.chat("C1")
  expect(sent).toMatchObject({ isOurs: true, thread: root.messageId, files: [{ name: "a.txt", bytes: 5 }] })
  expect(await shares()).toEqual({ public: { C1: [{ ts: sent?.messageId, thread_ts: root.messageId }] } })
  expect((await complete(id)).error).toBe("file_not_found")
  expect((await begin("", 5)).error).toBe("invalid_arguments")
  expect((await begin("a", 100_000_001)).error).toBe("file_upload_size_restricted")
})

it("gives a file with the bot's token and its scope, else a page to sign in", async () => {
  const { slack } = await open()
  await using _ = slack
  const linkOf = async (server: SlackServer) => {
    const posted = server.say("", { document: { name: "a b.txt", content: "hello" } })
    const { file } = await post(server, "files.info", { file: posted.files[0]?.id })
    return String((file as Json | undefined)?.["url_private_download"])
  }
  const read = (url: string, token?: string) =>
    fetch(url, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } })
  const link = await linkOf(slack)
  expect(await (await read(link, slack.token)).text()).toBe("hello")
  for (const token of [undefined, "xoxb-of-somebody", slack.appToken]) {
    const page = await read(link, token)
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
  }
  expect((await read(link.replace("F0FILE0001", "F9"), slack.token)).status).toBe(404)
  slack.fail("download", "cutAfter")
  slack.fail("download", { error: "gone", status: 404 })
  await expect(read(link, slack.token)).rejects.toThrow()
  expect((await read(link, slack.token)).status).toBe(404)
  slack.revoke()
  expect((await read(link, slack.token)).headers.get("content-type")).toContain("text/html")
})

it("takes five answers to a press within half an hour", async () => {
  const { slack } = await open()
  await using _ = slack
  const { frame, acknowledge } = await connect(slack)
  const element = { type: "button", action_id: "a", value: "y", text: { type: "plain_text", text: "Yes" } }
  await post(slack, "chat.postMessage", {
    channel: "C1",
    text: "May I?",
    blocks: [{ type: "actions", elements: [element] }]
  })
  const [question] = slack.chat("C1")
  if (question === undefined) throw new Error("no question")
  const pressed = async (index: number) => {
    const press = slack.press(question, "Yes")
    const envelope = await frame(index)
    acknowledge(envelope)
    return { press, url: String((envelope["payload"] as Json)["response_url"]) }
  }
  const answer = async (url: string, body: Json) =>
    (
      await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) })
    ).json()
  const { press, url } = await pressed(2)
  expect(await answer(url, {})).toMatchObject({ error: "no_text" })
  expect(await answer(url, { text: "Gladly" })).toEqual({ ok: true })
  await slack.until(() => slack.confirmed() === 1 || undefined)
  expect(slack.acknowledgements()).toMatchObject([{ press, text: "Gladly" }])
  expect(await answer(url, { response_type: "in_channel", text: "to all" })).toEqual({ ok: true })
  expect(await answer(url, { replace_original: true, text: "changed" })).toEqual({ ok: true })
  expect(slack.chat("C1").map(({ text, buttons }) => [text, buttons])).toEqual([
    ["changed", []],
    ["to all", []]
  ])
  expect(await answer(url, { delete_original: true })).toEqual({ ok: true })
  expect(slack.chat("C1").map(({ text }) => text)).toEqual(["to all"])
  expect(await answer(url, { text: "too much" })).toMatchObject({ error: "used_url" })
  slack.advance(1_800_000)
  expect(await answer(url, { text: "too late" })).toMatchObject({ error: "expired_url" })
})
