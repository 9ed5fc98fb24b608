/** The whole of the page by the keyboard alone, and as a screen reader has it: roles, names, and what is said when. */
import { assert, describe, it } from "vitest"
import { controls } from "../../tools/browser/accessible.ts"
import type { Page } from "../../tools/browser/page.ts"
import { ask, done, ev, got, me, run, say, use } from "../../tools/browser/rows.ts"
import { pressesTo } from "../../tools/browser/scriptedServer.ts"
import { baseState } from "../../tools/browser/states.ts"
import { browserSuite } from "../../tools/browser/suite.ts"

const suite = browserSuite()
const calm = { rows: [me("m0", "Hello"), run(), say("Hello to you."), done()] } as const
const has = (text: string) => `document.querySelector("main").innerText.includes(${JSON.stringify(text)})`
const focused = (page: Page) =>
  page.evaluate<string>(
    `(document.activeElement.getAttribute("aria-label") ?? document.activeElement.innerText ?? "").trim() || document.activeElement.id`
  )
/** Presses Tab until the focus is on what has this name, which must come. */
const tabTo = async (page: Page, name: string, key = "Tab") => {
  const known: Array<string> = []
  for (let i = 0; i < 60; i++) {
    await page.press(key)
    const now = await focused(page)
    if (now === name || now.startsWith(`${name}\n`)) return
    known.push(now)
  }
  assert.fail(`no “${name}” by ${key}, only ${known.join(" | ")}`)
}
const npmTest = (requestId: string, command: string) =>
  ask(requestId, { toolName: "Bash", kind: "command", title: command, command })
const decision = (requestId: string, input: string) =>
  ev("permission_decision", { requestId, decision: input, by: "caller", person: "You", where: "web" })
/** A press on a card that just appeared is deaf: tests wait, as people do. */
const rested = (page: Page) =>
  page.evaluate(
    `new Promise((resolve) => { const end = performance.now() + 700; const look = () => performance.now() > end ? resolve() : setTimeout(look, 20); look() })`
  )

describe("the keyboard alone", () => {
  it("writes, opens a step, allows, denies, stops, searches, goes elsewhere and chooses", async () => {
    await using visible = await suite.show(calm)
    const { page, server } = visible
    await page.until(has("Hello to you."))

    // Writes: the box has the focus when the page opens.
    assert.strictEqual(await page.evaluate("document.activeElement.id"), "prompt")
    await page.type("Run the tests.")
    await page.press("Enter")
    await page.until(`document.querySelectorAll("#log .message").length === 2`)
    const output = Array.from({ length: 30 }, (_, i) => `line ${i}`).join("\n")
    server.say(
      "c1",
      run({ turn: "t2" }),
      { ...use("s1", "Bash", "command", "npm test", { command: "npm test" }), turn: "t2" },
      { ...got("s1", output), turn: "t2" }
    )
    server.say("c1", { ...npmTest("r1", "npm publish"), turn: "t2" }, { ...npmTest("r2", "npm unpublish"), turn: "t2" })
    await page.until(`document.querySelectorAll(".card.request").length === 2`)

    // Opens a step, and sees all of its output.
    await page.press("Alt+ArrowUp")
    assert.isTrue(await page.evaluate(`document.activeElement.matches("article.turn")`))
    await page.press("Tab")
    assert.match(await focused(page), /^Run npm test/)
    await page.press("Enter")
    await page.until(`document.querySelector(".step details").open`)
    await tabTo(page, "Show 16 earlier lines")
    await page.press("Enter")
    await page.until(`document.querySelector(".step .out").innerText.startsWith("line 0")`)
    assert.isTrue(await page.evaluate(`document.activeElement.matches(".out")`))

    // Allows the first, denies the second: each is gone to, none is decided by the way.
    await rested(page)
    await page.press("Alt+KeyA")
    assert.include(await focused(page), "npm publish")
    await tabTo(page, "Allow once")
    await page.press("Space")
    await page.until(`document.activeElement.innerText.includes("npm unpublish")`)
    server.say("c1", { ...decision("r1", "allow"), turn: "t2" })
    await tabTo(page, "Deny")
    await page.press("Enter")
    await page.until(`document.activeElement.id === "prompt"`)
    server.say("c1", { ...decision("r2", "deny"), turn: "t2" })
    await page.until(`document.querySelectorAll(".decided").length === 2`)

    // Stops by its button.
    await tabTo(page, "Stop", "Shift+Tab")
    await page.press("Enter")
    await page.until(`document.querySelector(".stop").innerText.includes("Stopping…")`)
    server.say("c1", done({ outcome: "aborted", aborted: true }, "t2"))
    await page.until(`document.querySelector("#run").hidden`)
    assert.deepStrictEqual(await pressesTo(server, 3), [
      { do: "decide", requestId: "r1", decision: "allow" },
      { do: "decide", requestId: "r2", decision: "deny" },
      { do: "stop" }
    ])

    // Searches, and goes to what it finds.
    await page.press("Control+KeyK")
    await page.type("Publish")
    await page.until(`document.querySelectorAll(".c-title").length === 1`)
    await tabTo(page, "Publish 2.4.0")
    await page.press("Enter")
    await page.until(`document.querySelector("#title").textContent === "Publish 2.4.0"`)
    assert.strictEqual(await page.evaluate("document.activeElement.id"), "prompt")

    // Chooses who answers, the colours, and begins anew.
    for (let i = 0; i < 6 && (await page.evaluate("document.activeElement.id")) !== "mode"; i++) await page.press("Tab")
    assert.strictEqual(await page.evaluate("document.activeElement.id"), "mode")
    await page.press("ArrowDown")
    await page.until(`document.querySelector("#mode").value === "plan"`)
    assert.deepStrictEqual(
      server.told.filter(({ path }) => path === "conversations/c2").map(({ body }) => body["mode"]),
      ["plan"]
    )
    await tabTo(page, "Colours: as the system", "Shift+Tab")
    await page.press("Enter")
    assert.strictEqual(await page.evaluate(`document.documentElement.dataset.theme`), "light")
    await page.press("Alt+KeyN")
    await page.until(`location.hash === "" && document.activeElement.id === "prompt"`)
  })

  it("is never lost: the focus is on something that is seen, with a ring", async () => {
    await using visible = await suite.show("approvals")
    const { page } = visible
    await page.until(`document.querySelectorAll(".card.request:not(.decided)").length === 3`)
    await page.evaluate(`document.activeElement.blur()`)
    const wrong: Array<string> = []
    for (let i = 0; i < 45; i++) {
      await page.press("Tab")
      const found = await page.evaluate<string | null>(`(() => {
        const at = document.activeElement
        if (at === document.body) return null
        const { width, height, top, bottom } = at.getBoundingClientRect()
        const name = at.id || at.className || at.tagName
        if (width === 0 || height === 0) return name + " has no size"
        if (bottom < 0 || top > innerHeight) return name + " is out of sight"
        const ring = (element) => { const s = getComputedStyle(element); return s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2 }
        const around = at.id === "prompt" ? getComputedStyle(document.querySelector("#compose")).boxShadow !== "none" : at.id === "find" ? ring(at.closest(".search")) : ring(at)
        return around ? null : name + " has no ring"
      })()`)
      if (found !== null) wrong.push(found)
    }
    assert.deepStrictEqual([...new Set(wrong)], [])
  })
})

describe("a screen reader", () => {
  it("has a role and a name for all that is operated, as they are seen", async () => {
    await using visible = await suite.show("approval", { width: 1600 })
    const { page } = visible
    await page.until(`document.querySelector(".card.request")`)
    const found = await controls(page)
    assert.deepStrictEqual(
      found.filter(({ name }) => name.trim() === ""),
      []
    )
    const content = found.map(({ role, name }) => `${role}: ${name}`)
    for (const each of [
      "link: Skip to the message box",
      "navigation: Conversations",
      "button: New",
      "searchbox: Search conversations",
      "button: Rename, export or archive “Publish 2.4.0”",
      "button: Colours: as the system",
      "log: Conversation",
      "region: Run this command?",
      "button: Copy command",
      "button: Allow once, outside the sandbox",
      "button: Always…",
      "button: Deny",
      "button: Deny with a message…",
      "region: Run",
      "button: Go to it",
      "button: Stop",
      "form: Message",
      "textbox: Message to the agent",
      "button: Attach files",
      "combobox: Agent",
      "combobox: Model",
      "combobox: Permissions",
      "button: Queue",
      "button: Steer",
      "complementary: This conversation"
    ])
      assert.include(content, each)
    assert.isTrue(content.some((each) => /^article: codex, \d/.test(each)))
    assert.isTrue(content.some((each) => /^link: Publish 2.4.0/.test(each)))
  })

  it("is told of requests and errors at once, of the rest when it is quiet, and of no piece that streams", async () => {
    await using visible = await suite.show({
      ...calm,
      state: { conversations: baseState.conversations.slice(0, 1) }
    })
    const { page, server } = visible
    await page.until(has("Hello to you."))
    const live = await page.evaluate<unknown>(
      `["log", "polite", "urgent", "link", "found"].map((id) => { const e = document.getElementById(id); return [id, e.getAttribute("role"), e.getAttribute("aria-live")] })`
    )
    assert.deepStrictEqual(live, [
      ["log", "log", "off"],
      ["polite", "status", "polite"],
      ["urgent", "alert", null],
      ["link", "status", null],
      ["found", "status", null]
    ])
    await page.evaluate(`(() => {
      window.heard = []
      for (const id of ["polite", "urgent"]) new MutationObserver(() => { const t = document.getElementById(id).textContent; if (t) window.heard.push(id + ": " + t) }).observe(document.getElementById(id), { childList: true, characterData: true, subtree: true })
    })()`)
    const of = (row: ReturnType<typeof ev>) => ({ ...row, turn: "t2" })
    server.say("c1", run({ turn: "t2" }), of(say("Let me ")), of(say("look.\n\nAnd then")))
    await page.until(`window.heard.includes("polite: Let me look.")`)
    await page.until(has("And then"))
    assert.isFalse(await page.evaluate(`window.heard.some((each) => each.includes("And then"))`))
    server.say("c1", of(use("s1", "Bash", "command", "npm test", {})), of(got("s1", "no", true)))
    await page.until(`window.heard.some((each) => each.includes("And then\\nnpm test failed"))`)
    server.say("c1", of(npmTest("r1", "npm publish")))
    await page.until(`window.heard.includes("urgent: claude asks: npm publish. Alt A goes there.")`)
    server.say("c1", of(decision("r1", "deny")))
    await page.until(`window.heard.includes("polite: Denied by you")`)
    server.say("c1", of(say("All is well.")), done({}, "t2"))
    await page.until(`window.heard.some((each) => each.startsWith("polite: All is well.\\nclaude: Done"))`)
    await page.until(`window.heard.some((each) => each.includes("claude: Done"))`)
    assert.isFalse(await page.evaluate(`window.heard.some((each) => each.endsWith("Let me"))`))
    assert.strictEqual(await page.evaluate(`document.querySelectorAll("[aria-busy='true']").length`), 0)
  })
})
