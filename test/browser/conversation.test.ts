/**
 * Events of a running conversation: text streams, messages are sent, the connection is cut, the server is restarted.
 */
import { assert, describe, it } from "vitest"
import { everywhere } from "../../tools/browser/everywhere.ts"
import type { Page } from "../../tools/browser/page.ts"
import { done, ev, got, run, say, use } from "../../tools/browser/rows.ts"
import { linkOf, pressesTo, type ScriptedServer } from "../../tools/browser/scriptedServer.ts"
import { baseState, beforeAnswer, pieces } from "../../tools/browser/states.ts"
import { browserSuite } from "../../tools/browser/suite.ts"
import { png } from "../kit/attachments.ts"

const suite = browserSuite()
const calm = {
  rows: [
    { row: "message", message: "m0", by: "You", text: "Hello", state: "sent" },
    run(),
    say("Hello to you."),
    done()
  ]
} as const

const textOf = (page: Page, selector: string) =>
  page.evaluate<ReadonlyArray<string>>(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].map((each) => each.innerText.trim())`
  )
const messagesTo = ({ told: reported }: ScriptedServer) =>
  reported.filter(({ path }) => path === "messages").map(({ body }) => body)
const has = (text: string) => `document.querySelector("main").innerText.includes(${JSON.stringify(text)})`
const write = async (page: Page, text: string) => {
  await page.evaluate(`document.querySelector("#prompt").focus()`)
  await page.type(text)
}

describe("a key", () => {
  it("leaves the address at once, is kept for the tab, and is not a cookie", async () => {
    await using visible = await suite.show(calm)
    const { page, server } = visible
    assert.strictEqual(await page.evaluate("location.href"), `${server.url}#c=c1`)
    assert.strictEqual(await page.evaluate("document.cookie"), "")
    await page.open(`${server.url}?again#c=c1`)
    await page.until(has("Hello to you."))
  })
})

describe("an answer that streams", () => {
  it("draws only its last block again, follows a reader at the end, and no other", async () => {
    await using visible = await suite.show({ rows: beforeAnswer }, { height: 500 })
    const { page, server } = visible
    await page.until(`document.querySelector("#log .turn")`)
    for (const piece of pieces.slice(0, 60)) server.say("c1", piece)
    await page.until(`document.querySelectorAll(".prose:last-of-type table tbody tr").length === 3`)
    await page.evaluate(
      `window.first = document.querySelector(".turn-body > .prose:last-child > p"); getSelection().selectAllChildren(window.first)`
    )
    for (const piece of pieces.slice(60, 90)) server.say("c1", piece)
    await page.until(has("What I did not touch"))
    assert.isTrue(
      await page.evaluate(`window.first.isConnected && String(getSelection()).startsWith("The total was off")`)
    )
    assert.isTrue(
      await page.evaluate(
        `(() => { const m = document.querySelector("main"); return m.scrollHeight - m.scrollTop - m.clientHeight < 2 })()`
      )
    )
    await page.evaluate(`document.dispatchEvent(new WheelEvent("wheel")); document.querySelector("main").scrollTop = 0`)
    await page.until(`!document.querySelector("#latest").hidden`)
    for (const piece of pieces.slice(90)) server.say("c1", piece)
    server.say("c1", done())
    await page.until(has("issue 91"))
    assert.strictEqual(await page.evaluate(`document.querySelector("main").scrollTop`), 0)
    await page.click("#latest")
    await page.until(`document.querySelector("#latest").hidden`)
    assert.strictEqual(
      await page.evaluate(`document.querySelectorAll(".turn-body > .prose:last-child > .code").length`),
      2
    )
    assert.deepStrictEqual(await textOf(page, "#run:not([hidden])"), [])
  })

  it("takes back what is void, and goes on in code as it grows", async () => {
    await using visible = await suite.show({ rows: [run()] })
    const { page, server } = visible
    server.say(
      "c1",
      say("Wrong answer"),
      ev("notice", { kind: "text_voided", message: "Again", data: { characters: 12 } }),
      say("Right:\n\n```ts\nconst a = 1\n")
    )
    await page.until(has("const a = 1"))
    assert.isFalse(await page.evaluate(has("Wrong answer")))
    await page.evaluate(`window.pre = document.querySelector(".code pre")`)
    server.say("c1", say("const b = 2\n"), say("const c = 3\n"))
    await page.until(has("const c = 3"))
    assert.isTrue(await page.evaluate("window.pre.isConnected"))
    server.say("c1", say("```\n\nDone."), done())
    await page.until(has("Done."))
    assert.deepStrictEqual(await textOf(page, ".code pre"), ["const a = 1\nconst b = 2\nconst c = 3"])
    assert.isAbove(await page.evaluate<number>(`document.querySelectorAll(".c-word").length`), 2)
  })

  it("is not read piece by piece, but paragraph by paragraph, and ends and failures are", async () => {
    await using visible = await suite.show(calm)
    const { page, server } = visible
    await page.evaluate(`(() => {
      window.heard = []
      for (const id of ["polite", "urgent"]) new MutationObserver(() => { const t = document.getElementById(id).textContent; if (t) window.heard.push(id + ": " + t) }).observe(document.getElementById(id), { childList: true, characterData: true, subtree: true })
    })()`)
    assert.strictEqual(await page.evaluate(`document.querySelector("#log").getAttribute("aria-live")`), "off")
    await page.until(has("Hello to you."))
    server.say("c1", run({ turn: "t2" }), say("First par", "t2"))
    await page.until(has("First par"))
    server.say("c1", say("agraph.\n\nSecond", "t2"))
    await page.until(`window.heard.includes("polite: First paragraph.")`)
    server.say("c1", ev("error", { message: "No quota.", code: "x", category: "rate_limit", retryable: true }, "t2"))
    await page.until(`window.heard.includes("urgent: claude failed: No quota.")`)
    server.say("c1", done({ outcome: "failed" }, "t2"))
    await page.until(`window.heard.some((each) => each.startsWith("polite: claude: Failed"))`)
    assert.isFalse(
      await page.evaluate(`window.heard.some((each) => each.includes("First par") && !each.includes("paragraph"))`)
    )
  })
})

describe("images of a tool", () => {
  it("are drawn when its step is open, and others say why they are not", async () => {
    const green = png(40, 20, [0, 160, 0])
    const media = [
      { mediaType: "image/png", bytes: green.length, data: Buffer.from(green).toString("base64") },
      { mediaType: "image/jpeg", bytes: 1_200_000 },
      { mediaType: "image/png", bytes: 12, data: Buffer.from("<svg></svg>").toString("base64") }
    ]
    const rows = [run(), use("t1", "Read", "read", "/w/shot.png", {}), got("t1", "[image]", false, { media }), done()]
    await using visible = await suite.show({ rows })
    const { page } = visible
    await page.until(`document.querySelectorAll(".shot").length === 3`)
    assert.strictEqual(await page.evaluate(`document.querySelectorAll(".shot canvas").length`), 0)
    await page.evaluate(`document.querySelector(".step details").open = true`)
    await page.until(
      `document.querySelector(".shot canvas") && !document.querySelector("main").innerText.includes("Loading")`
    )
    assert.deepStrictEqual(
      await page.evaluate(`(() => {
        const canvas = document.querySelector(".shot canvas")
        return [canvas.width, canvas.height, canvas.ariaLabel, ...canvas.getContext("2d").getImageData(5, 5, 1, 1).data]
      })()`),
      [40, 20, "Image of /w/shot.png", 0, 160, 0, 255]
    )
    assert.deepStrictEqual(await textOf(page, ".shot"), [
      "",
      "An image of 1.2 MB, which is too large to be shown here.",
      "An image that cannot be drawn."
    ])
    await everywhere(page, "images")
  })
})

describe("a message", () => {
  it("is sent by Enter with an id of its own, and drawn once", async () => {
    await using visible = await suite.show(calm)
    const { page, server } = visible
    await page.until(has("Hello to you."))
    await write(page, "What is new?")
    await page.press("Shift+Enter")
    await page.type("Tell me all.")
    await page.press("Enter")
    await page.until(
      `document.querySelectorAll(".message").length === 2 && !document.querySelector("#unsent .message")`
    )
    const [first] = messagesTo(server)
    assert.strictEqual(first?.text, "What is new?\nTell me all.")
    assert.match(first?.id ?? "", /^[0-9a-f-]{36}$/)
    assert.notProperty(first, "how")
    assert.strictEqual(await page.evaluate(`document.querySelector("#prompt").value`), "")
  })

  it("steers by Enter and queues by Alt+Enter while the agent works; Now and Drop are presses", async () => {
    await using visible = await suite.show({ rows: [run()] })
    const { page, server } = visible
    await page.until(`!document.querySelector("#run").hidden`)
    await write(page, "Steer this.")
    await page.press("Enter")
    await page.until(has("Sent to the agent: it takes it up at its next step"))
    await page.type("Queue this.")
    await page.press("Alt+Enter")
    await page.until(`document.querySelector("#waiting .message")`)
    const [steered, queued] = messagesTo(server)
    assert.deepStrictEqual([steered?.how, queued?.how], ["steer", "queue"])
    server.say("c1", { row: "state", message: steered?.id, state: "taken" })
    await page.until(`document.querySelector(".turn-body > .message")`)
    await page.click("text=Now")
    await page.click("text=Drop")
    await page.until(`true`)
    server.say("c1", { row: "state", message: queued?.id, state: "dropped" })
    await page.until(has("Dropped: the agent never saw it"))
    assert.deepStrictEqual(await pressesTo(server, 2), [
      { do: "now", message: queued?.id },
      { do: "drop", message: queued?.id }
    ])
  })

  it("begins a conversation with what was chosen, and stands in the address", async () => {
    await using visible = await suite.show({ current: "", rows: [], state: { conversations: [] } })
    const { page, server } = visible
    await page.until(`!document.querySelector("#start").hidden && document.querySelector("#mode option")`)
    await page.evaluate(
      `(() => { const s = document.querySelector("#mode"); s.value = "plan"; s.dispatchEvent(new Event("change", { bubbles: true })) })()`
    )
    await page.evaluate(
      `(() => { const s = document.querySelector("#start select"); s.value = "infra"; s.dispatchEvent(new Event("change", { bubbles: true })) })()`
    )
    await page.click("text=What changed since yesterday, and is it tested?")
    assert.isTrue(await page.evaluate(`document.activeElement.id === "prompt"`))
    await page.press("Enter")
    await page.until(`document.querySelector("#log .message") && document.querySelector("#start").hidden`)
    const [first] = messagesTo(server)
    assert.deepInclude(first, { mode: "plan", directory: "infra" })
    assert.notProperty(first, "agent")
    assert.strictEqual(await page.evaluate("location.hash"), `#c=${first?.conversation}`)
    server.state({ conversations: [{ ...baseState.conversations[0], id: first?.conversation, title: "What changed" }] })
    await page.until(`document.title === "What changed · Reins"`)
  })

  it("that is refused says why, and gives its text back", async () => {
    await using visible = await suite.show(calm)
    const { page, server } = visible
    server.reply = ({ path }) =>
      path === "messages"
        ? { status: 400, body: { error: "That directory is gone.", help: "Choose another one." } }
        : undefined
    await write(page, "Do it.")
    await page.press("Enter")
    await page.until(
      `document.querySelector("#unsent").innerText.includes("Not sent: That directory is gone. Choose another one.")`
    )
    await page.click("text=Edit")
    assert.strictEqual(await page.evaluate(`document.querySelector("#prompt").value`), "Do it.")
    assert.isNull(await page.evaluate(`document.querySelector("#unsent .message")`))
  })

  it("whose answer was lost is sent again under its id, and is there once", async () => {
    await using visible = await suite.show(calm)
    const { page, server } = visible
    await page.until(has("Hello to you."))
    let lost = 0
    server.reply = ({ path }) => (path === "messages" && ++lost < 3 ? { status: 202, lost: "after" } : undefined)
    await write(page, "Once.")
    await page.press("Enter")
    await page.until(`document.querySelectorAll("#log .message").length === 2 && !sessionStorage["reins.messages"]`)
    assert.deepStrictEqual(
      messagesTo(server).map(({ text }) => text),
      ["Once."]
    )
    assert.strictEqual(await page.evaluate(`document.querySelectorAll(".message").length`), 2)
  })

  it("that never arrived is sent after a reload, and drawn once", async () => {
    await using visible = await suite.show(calm)
    const { page, server } = visible
    await page.until(has("Hello to you."))
    server.reply = ({ path }) => (path === "messages" ? { status: 0, lost: "before" } : undefined)
    await write(page, "Once.")
    await page.press("Enter")
    await page.until(`document.querySelector("#unsent").innerText.includes("Not sent yet: waiting for the connection")`)
    await page.open("about:blank")
    server.reply = () => undefined
    await page.open(`${server.url}?reload#c=c1`)
    await page.until(
      `document.querySelectorAll("#log .message").length === 2 && !document.querySelector("#unsent .message")`
    )
    assert.deepStrictEqual(
      messagesTo(server).map(({ text }) => text),
      ["Once."]
    )
  })

  it("that is not sent yet stays in the box through a reload and a look at another conversation", async () => {
    await using visible = await suite.show(calm)
    const { page, server } = visible
    await write(page, "half a thought")
    await page.click(`a[href="#c=c2"]`)
    await page.until(`document.querySelector("#title").textContent === "Publish 2.4.0"`)
    assert.strictEqual(await page.evaluate(`document.querySelector("#prompt").value`), "")
    await page.open(`${server.url}?reload#c=c1`)
    await page.until(`document.querySelector("#prompt").value === "half a thought"`)
  })
})

describe("a connection", () => {
  it("that is cut goes on where it was: nothing is lost, nothing twice", async () => {
    await using visible = await suite.show({ rows: [run()] })
    const { page, server } = visible
    for (let i = 0; i < 30; i++) server.say("c1", say(`word${i} `))
    await page.until(has("word29"))
    server.cut()
    for (let i = 30; i < 40; i++) server.say("c1", say(`word${i} `))
    server.say("c1", use("t1", "Bash", "command", "npm test", {}), got("t1", "ok"), say("After it."))
    await page.until(has("After it."))
    await page.until(`document.querySelector("#link").innerText.includes("Connected again")`)
    const [prose] = await textOf(page, ".turn-body > .prose")
    assert.strictEqual(prose, Array.from({ length: 40 }, (_, i) => `word${i}`).join(" "))
    assert.strictEqual(await page.evaluate(`document.querySelectorAll(".step").length`), 1)
  })

  it("to a server that has ended says so, keeps what is sent, and goes on by itself after the restart", async () => {
    await using visible = await suite.show(calm)
    const { page, server } = visible
    await page.until(has("Hello to you."))
    await server.end()
    await page.until(`document.querySelector("#link").innerText.includes("Connection lost")`)
    await write(page, "While you were away.")
    await page.press("Enter")
    await page.until(has("Not sent yet"))
    await page.until(`document.querySelector("#link").innerText.includes("Start it again where it ran")`)
    await server.begin()
    await page.click("#link button")
    await page.until(
      `document.querySelectorAll("#log .message").length === 2 && !document.querySelector("#unsent .message")`
    )
    assert.deepStrictEqual(
      messagesTo(server).map(({ text }) => text),
      ["While you were away."]
    )
  })

  it("with a key of before the restart asks for the new link, which goes on in the same tab", async () => {
    await using visible = await suite.show(calm)
    const { page, server } = visible
    await page.until(has("Hello to you."))
    await write(page, "kept")
    server.renewKey()
    server.cut()
    await page.until(`document.querySelector("#link").innerText.includes("This link is no longer valid")`)
    assert.isTrue(await page.evaluate(has("Hello to you.")))
    await page.press("Enter")
    await page.until(has("Not sent yet"))
    await page.evaluate(`location.hash = ${JSON.stringify(new URL(linkOf(server, "c1")).hash)}`)
    await page.until(`document.querySelectorAll("#log .message").length === 2`)
    assert.strictEqual(await page.evaluate("location.hash"), "#c=c1")
  })

  it("to another store begins anew", async () => {
    await using visible = await suite.show({
      rows: Array.from({ length: 20 }, (_, i) => [
        run({ turn: `t${i}` }),
        say(`Old ${i}`, `t${i}`),
        done({}, `t${i}`)
      ]).flat()
    })
    const { page, server } = visible
    await page.until(has("Old 19"))
    server.forget("c1")
    server.cut()
    server.say("c1", run({ turn: "new" }), say("New store.", "new"))
    await page.until(has("New store."))
    assert.isFalse(await page.evaluate(has("Old 3")))
  })
})

describe("a host that is full", () => {
  it("says so in its own words, at a page that is open and at one that opens, and both go on by themselves", async () => {
    await using visible = await suite.show(calm)
    const { page, server } = visible
    await page.until(has("Hello to you."))
    server.noStream = { status: 429, body: { error: "Too many pages are open.", help: "Close some of them." } }
    server.cut()
    const content = `document.querySelector("#link").innerText.includes("Too many pages are open. Close some of them.")`
    await page.until(content)
    const other = await suite.browser().page(linkOf(server, "c1"))
    await other.until(content)
    assert.isFalse(await other.evaluate(`document.querySelector("#link").innerText.includes("cannot be reached")`))
    server.noStream = undefined
    await other.click("#link button")
    await other.until(has("Hello to you."))
    await page.until(`document.querySelector("#link").innerText.includes("Connected again")`)
    await other.close()
  })

  it("takes a message once it may, under its own id, and says meanwhile what it said", async () => {
    await using visible = await suite.show(calm)
    const { page, server } = visible
    await page.until(has("Hello to you."))
    server.reply = ({ path }) =>
      path === "messages"
        ? { status: 503, body: { error: "The store takes nothing for now, so nothing was done." } }
        : undefined
    await write(page, "Once.")
    await page.press("Enter")
    await page.until(has("The store takes nothing for now"))
    server.reply = () => undefined
    await page.until(`document.querySelectorAll("#log .message").length === 2`)
    assert.strictEqual(new Set(messagesTo(server).map(({ id }) => id)).size, 1)
  })

  it("refuses a press for good, and the card says why", async () => {
    await using visible = await suite.show({ rows: [run()] })
    const { page, server } = visible
    await page.until(`!document.querySelector("#run").hidden`)
    server.reply = ({ path }) =>
      path === "press" ? { status: 409, body: { error: "Nothing of it can be stopped." } } : undefined
    await page.press("Control+Period")
    await page.until(`document.querySelector("#problem").textContent === "Nothing of it can be stopped."`)
    await page.until(
      `document.querySelector(".stop").innerText.includes("Stop") && !document.querySelector(".stop").innerText.includes("Stopping")`
    )
  })
})

describe("times", () => {
  it("are by the server's clock, whatever the page's own says", async () => {
    await using visible = await suite.show({ ahead: 3_600_000 * 5, rows: [run()] })
    const { page, server } = visible
    const now = Date.now() + 3_600_000 * 5
    server.say(
      "c1",
      ev("permission_request", {
        requestId: "r1",
        toolName: "Bash",
        toolId: "t",
        kind: "command",
        input: {},
        title: "ls",
        command: "ls",
        escalated: false,
        scopes: [],
        deadlineMs: now + 90_500
      })
    )
    await page.until(`/denied in 1:(30|2\\d)/.test(document.querySelector(".left").textContent)`)
    assert.match((await textOf(page, ".run-facts .num"))[0] ?? "", /^\d+ s$/)
  })
})
