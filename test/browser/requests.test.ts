/** Requests, and how a person answers: by mouse, by keyboard alone, in two tabs, and never blind or by mistake. */
import { assert, describe, it } from "vitest"
import type { Page } from "../../tools/browser/page.ts"
import { ask, done, ev, run } from "../../tools/browser/rows.ts"
import { pressesTo } from "../../tools/browser/scriptedServer.ts"
import { baseState } from "../../tools/browser/states.ts"
import { browserSuite } from "../../tools/browser/suite.ts"

const suite = browserSuite()
const focused = (page: Page) =>
  page.evaluate<string>(
    `(document.activeElement.getAttribute("aria-label") ?? document.activeElement.innerText ?? document.activeElement.id).trim() || document.activeElement.id`
  )
const tabs = async (page: Page, count: number) => {
  const known: Array<string> = []
  for (let i = 0; i < count; i++) {
    await page.press("Tab")
    known.push(await focused(page))
  }
  return known
}
const npmTest = {
  toolName: "Bash",
  kind: "command",
  title: "npm test",
  command: "npm test",
  scopes: [{ id: "exact", label: "x", covers: "this exact command" }]
}
const decision = (requestId: string, more: object = {}) =>
  ev("permission_decision", { requestId, decision: "allow", by: "caller", person: "You", where: "web", ...more })
const open = `document.querySelectorAll(".card.request:not(.decided)").length`

/** A press on a card that just appeared is deaf: tests wait, as people do. */
const rested = (page: Page) => page.until(`(window.appeared ??= performance.now()) + 700 < performance.now()`)

describe("a request", () => {
  it("is deaf to what is pressed as it appears, and shrinks to a line when the stream says so", async () => {
    await using visible = await suite.show({
      rows: [run()],
      state: { conversations: baseState.conversations.slice(0, 1) }
    })
    const { page, server } = visible
    await page.until(`!document.querySelector("#run").hidden`)
    await page.evaluate(
      `new MutationObserver((_, self) => { const primary = document.querySelector(".card .primary"); if (primary) { self.disconnect(); primary.click() } }).observe(document.querySelector("#log"), { childList: true, subtree: true })`
    )
    server.say("c1", ask("r1", npmTest))
    await page.until(`${open} === 1`)
    await rested(page)
    assert.deepStrictEqual(await pressesTo(server, 0), [])
    await page.until(`document.title.startsWith("(!) ")`)
    assert.include(
      await page.evaluate<string>(`document.querySelector("#urgent").textContent`),
      "claude asks: npm test. Alt A goes there."
    )
    await page.click("text=Allow once")
    await page.until(`document.querySelector(".card .buttons").innerText.includes("Sending…")`)
    await page.until(`true`)
    assert.deepStrictEqual(await pressesTo(server, 1), [{ do: "decide", requestId: "r1", decision: "allow" }])
    server.say("c1", decision("r1"))
    await page.until(`document.querySelector(".decided")?.innerText.includes("by you")`)
    assert.isTrue(await page.evaluate(`document.activeElement.id === "prompt"`))
    await page.until(`document.title.startsWith("● ")`)
  })

  it("is answered by the keyboard alone, and no key allows by itself", async () => {
    await using visible = await suite.show({
      rows: [run(), ask("r1", npmTest), ask("r2", { ...npmTest, title: "two", command: "npm run two" })]
    })
    const { page, server } = visible
    await page.until(`${open} === 2`)
    await rested(page)
    await page.press("Alt+KeyA")
    await page.press("Enter")
    await page.press("Space")
    assert.strictEqual(await page.evaluate(`document.activeElement.className`), "card request")
    assert.deepStrictEqual(await tabs(page, 5), [
      "Copy command",
      "Allow once",
      "Always…",
      "Deny",
      "Deny with a message…"
    ])
    assert.deepStrictEqual(await pressesTo(server, 0), [])
    await page.press("Enter")
    assert.strictEqual(await page.evaluate(`document.activeElement.tagName`), "TEXTAREA")
    await page.press("Escape")
    assert.strictEqual(await focused(page), "Deny with a message…")
    await page.press("Enter")
    await page.type("Not now.")
    await page.press("Tab")
    await page.press("Enter")
    await page.until(
      `document.activeElement.className === "card request" && document.activeElement.innerText.includes("npm run two")`
    )
    server.say("c1", decision("r1", { decision: "deny", message: "Not now." }))
    await page.until(`document.querySelector(".decided")?.innerText.includes("Told: “Not now.”")`)
    await tabs(page, 3)
    await page.press("Enter")
    assert.isTrue(await page.evaluate(`document.activeElement.type === "radio"`))
    await page.press("Tab")
    await page.press("Enter")
    await page.until(`document.activeElement.id === "prompt"`)
    assert.deepStrictEqual(await pressesTo(server, 2), [
      { do: "decide", requestId: "r1", decision: "deny", message: "Not now." },
      { do: "decide", requestId: "r2", decision: "allow", scope: "exact" }
    ])
    server.say("c1", decision("r2", { remembered: "exact" }))
    await page.until(`document.body.innerText.includes("Not asked again for this exact command.")`)
  })

  it("with hidden lines is not allowed before they are shown", async () => {
    await using visible = await suite.show("approvals")
    const { page, server } = visible
    await page.until(`${open} === 3`)
    const last = `[...document.querySelectorAll(".card.request:not(.decided)")].at(-1)`
    await page.evaluate(`${last}.querySelector(".primary").click()`)
    await page.until(`${last}.querySelector(".problem[role=alert]").textContent === "Show the hidden lines first."`)
    assert.isFalse(await page.evaluate(`${last}.innerText.includes("rm -rf ~/backup")`))
    await page.evaluate(`${last}.querySelector(".more").click()`)
    await page.until(`${last}.innerText.includes("rm -rf ~/backup")`)
    await page.evaluate(`${last}.querySelector(".primary").click()`)
    await page.until(`${last}.innerText.includes("Sending…")`)
    assert.deepStrictEqual(
      (await pressesTo(server, 1)).map((each) => each["requestId"]),
      ["r7"]
    )
  })

  it("that cannot be shown whole cannot be allowed", async () => {
    await using visible = await suite.show({
      rows: [
        run(),
        ask("r1", {
          toolName: "Bash",
          kind: "command",
          title: "long",
          preview: "$ echo long …",
          notShown: "90000 characters"
        })
      ]
    })
    const { page, server } = visible
    await page.until(`${open} === 1`)
    await rested(page)
    await page.click("text=Allow once")
    await page.until(
      `document.querySelector(".card .problem[role=alert]").textContent.startsWith("Not all of it can be shown here")`
    )
    assert.deepStrictEqual(await pressesTo(server, 0), [])
    assert.include(await page.evaluate<string>("document.body.innerText"), "$ echo long …")
  })

  it("shows all of its input, with what is beside the command", async () => {
    await using visible = await suite.show({
      rows: [
        run(),
        ask("r1", { ...npmTest, input: { command: "npm test", run_in_background: true, env: { A: "\u200b" } } })
      ]
    })
    const { page } = visible
    await page.until(`${open} === 1`)
    const text = await page.evaluate<string>(`document.querySelector(".card").innerText`)
    for (const words of ["npm test", `"run_in_background": true`, "U+200B"]) assert.include(text, words)
  })

  it("decided in one tab is decided in the other, by name; a late press is told why it came to nothing", async () => {
    await using visible = await suite.show({ rows: [run(), ask("r1", npmTest)] })
    const { page, server, tab } = visible
    const other = await tab()
    await other.until(`${open} === 1`)
    await page.until(`${open} === 1`)
    await rested(page)
    server.reply = ({ path, body }) => {
      if (path !== "press") return undefined
      server.say("c1", decision("r1", { decision: body.press["decision"], person: "Ann" }))
      return { status: 200, body: {} }
    }
    await page.click("text=Deny")
    for (const each of [page, other]) {
      await each.until(`document.querySelector(".decided")?.innerText.includes("by Ann, on web")`)
      assert.strictEqual(await each.evaluate(open), 0)
    }
  })

  it("whose press is refused says why, and can be pressed again", async () => {
    await using visible = await suite.show({ rows: [run(), ask("r1", npmTest)] })
    const { page, server } = visible
    await page.until(`${open} === 1`)
    await rested(page)
    server.reply = ({ path }) =>
      path === "press" ? { status: 400, body: { error: "Only owners may allow this." } } : undefined
    await page.click("text=Allow once")
    await page.until(
      `document.querySelector(".card .problem[role=alert]").textContent === "Only owners may allow this."`
    )
    assert.isTrue(await page.evaluate(`document.querySelector(".card .primary").innerText === "Allow once"`))
  })

  it("pressed while the connection is gone is sent when it is back, once", async () => {
    await using visible = await suite.show({ rows: [run(), ask("r1", npmTest)] })
    const { page, server } = visible
    await page.until(`${open} === 1`)
    await rested(page)
    await server.end()
    await page.until(`!document.querySelector("#link").hidden`)
    await page.click("text=Deny")
    await page.until(`sessionStorage["reins.presses"]`)
    await server.begin()
    await page.evaluate(`dispatchEvent(new Event("online"))`)
    await page.until(`!sessionStorage["reins.presses"]`)
    assert.deepStrictEqual(await pressesTo(server, 1), [{ do: "decide", requestId: "r1", decision: "deny" }])
  })

  it("for a plan can ask for an outline", async () => {
    await using visible = await suite.show("plan")
    const { page, server } = visible
    await page.until(`${open} === 1`)
    assert.strictEqual(await page.evaluate(`document.querySelectorAll(".card .prose ol > li").length`), 4)
    await page.click("text=Outline first")
    await page.until(`document.querySelector(".card .buttons").innerText.includes("Sending…")`)
    assert.deepStrictEqual(await pressesTo(server, 1), [{ do: "decide", requestId: "r1", decision: "outline" }])
  })

  it("for a plan can approve its edits, too, and says what that covers", async () => {
    const covers = "This plan, and its edits until the turn ends."
    const edits = { id: "edits", label: "this plan and its edits", covers }
    const plan = { toolName: "ExitPlanMode", kind: "plan", title: "Plan", plan: "1. Look", input: { plan: "1. Look" } }
    await using visible = await suite.show({ rows: [run(), ask("r1", { ...plan, scopes: [edits] })] })
    const { page, server } = visible
    await page.until(`${open} === 1`)
    await rested(page)
    assert.include(await page.evaluate<string>(`document.querySelector(".card").innerText`), covers)
    await page.click("text=Approve the plan and its edits")
    await page.until(`document.querySelector(".card .buttons").innerText.includes("Sending…")`)
    const press = { do: "decide", requestId: "r1", decision: "allow", scope: "edits" }
    assert.deepStrictEqual(await pressesTo(server, 1), [press])
    server.say("c1", decision("r1", { remembered: "edits" }))
    await page.until(`document.querySelector(".decided .told")?.innerText === ${JSON.stringify(covers)}`)
  })

  it("that is open when the turn ends is withdrawn", async () => {
    await using visible = await suite.show({ rows: [run(), ask("r1", npmTest), done({ outcome: "aborted" })] })
    const { page } = visible
    await page.until(`document.querySelector(".decided")?.innerText.includes("by the end of the session")`)
  })
})

describe("a question", () => {
  it("wants each answered, takes free text, and is settled by the stream", async () => {
    await using visible = await suite.show("question")
    const { page, server } = visible
    await page.until(`${open} === 1`)
    await rested(page)
    await page.press("Alt+KeyA")
    await page.press("Tab")
    await page.press("Space")
    await page.click("text=Answer")
    await page.until(`document.querySelector(".card .problem").textContent === "Not answered yet: Which currencies?"`)
    assert.isTrue(await page.evaluate(`document.activeElement.type === "checkbox"`))
    await page.press("Space")
    await page.press("Tab")
    await page.press("Space")
    await page.evaluate(`document.querySelector(".card textarea").focus()`)
    await page.type("Our own table")
    await page.click("text=Answer")
    await page.until(`document.querySelector(".card .buttons").innerText.includes("Sending…")`)
    const answers = { "Where shall the rates come from?": ["Our own table"], "Which currencies?": ["EUR", "USD"] }
    assert.deepStrictEqual(await pressesTo(server, 1), [{ do: "answer", requestId: "q1", answers }])
    server.say("c1", ev("question_answer", { requestId: "q1", answers, by: "caller", person: "You", where: "web" }))
    await page.until(`document.querySelector(".decided")?.innerText.includes("Our own table")`)
    assert.include(await page.evaluate<string>(`document.querySelector(".decided").innerText`), "Answered by you")
  })
})

describe("a question that is left to the agent", () => {
  it("is a press without answers, and says who left it", async () => {
    await using visible = await suite.show("question")
    const { page, server } = visible
    await page.until(`${open} === 1`)
    await rested(page)
    await page.click("text=Let the agent choose")
    await page.until(`document.querySelector(".card .buttons").innerText.includes("Sending…")`)
    assert.deepStrictEqual(await pressesTo(server, 1), [{ do: "answer", requestId: "q1" }])
    server.say("c1", ev("question_answer", { requestId: "q1", by: "caller", person: "You", where: "web" }))
    await page.until(`document.querySelector(".decided")?.innerText.includes("left to the agent")`)
    assert.include(
      await page.evaluate<string>(`document.querySelector(".decided").innerText`),
      "Left to the agent by you"
    )
  })
})

describe("stop", () => {
  it("is a press by button or key, and stays pressed until the turn ends", async () => {
    await using visible = await suite.show({ rows: [run()] })
    const { page, server } = visible
    await page.until(`!document.querySelector("#run").hidden`)
    await page.press("Control+Period")
    await page.until(`document.querySelector(".stop").innerText.includes("Stopping…")`)
    await page.click(".stop")
    server.say("c1", done({ outcome: "aborted", aborted: true }))
    await page.until(
      `document.querySelector("#run").hidden && document.querySelector(".turn-foot").innerText.includes("Stopped")`
    )
    assert.deepStrictEqual(await pressesTo(server, 1), [{ do: "stop" }])
  })
})

describe("what was interrupted", () => {
  it("goes on by a press, once", async () => {
    await using visible = await suite.show("interrupted")
    const { page, server } = visible
    await page.click("text=Go on")
    await page.until(`document.querySelector(".card.warn.over")`)
    server.reply = ({ path }) => (path === "press" ? { status: 200, body: { text: "One table, `jobs`." } } : undefined)
    await page.click("text=Show")
    await page.until(`document.querySelector("main").innerText.includes("One table, \`jobs\`.")`)
    assert.deepStrictEqual(await pressesTo(server, 2), [
      { do: "interrupted", turn: "turn-1", choice: "continue" },
      { do: "show", row: 2 }
    ])
  })
})
