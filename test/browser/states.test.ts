/**
 * Each state of the page at four widths in both schemes: it shows what it is for, everything has a name, contrast and size,
 * and nothing scrolls sideways. The pictures are written to `.cache/browser/`.
 */
import { assert, describe, it } from "vitest"
import { everywhere } from "../../tools/browser/everywhere.ts"
import { hostile } from "../../tools/browser/hostile.ts"
import type { Page } from "../../tools/browser/page.ts"
import { linkOf } from "../../tools/browser/scriptedServer.ts"
import { type Scenario, scenarios } from "../../tools/browser/states.ts"
import { browserSuite } from "../../tools/browser/suite.ts"

/** Texts that a reader of the state must find. */
const visible: Readonly<Record<string, ReadonlyArray<string>>> = {
  empty: [
    "What shall be done?",
    "~/code/shop",
    "on main, 3 changed files",
    "npm install -g opencode-ai",
    "not signed in: run gemini once in a terminal",
    "Find the slowest test and say why it is slow."
  ],
  none: [
    "No agent is installed yet",
    "The demo agent answers, without a key, in",
    "npm install -g @openai/codex",
    "Show me what you can do."
  ],
  working: [
    "1 search, 2 reads, 1 web look-up",
    "1 failed",
    "To do · 2 of 4 done",
    "Run npm test",
    "11 steps",
    "$0.14",
    "Stop",
    "Steer",
    "Queue"
  ],
  answer: [
    "What changed",
    "src/cart/discount.ts",
    "Old invoices",
    "tests pass (214)",
    "Done · 2 m 03 s · 11 steps · $0.21 · 44k tokens"
  ],
  queue: [
    "Taken up by the agent",
    "Sent to the agent: it takes it up at its next step",
    "Queued · 1",
    "Queued · 2",
    "Now",
    "Drop"
  ],
  approval: [
    "Run this command?",
    "Outside the sandbox.",
    "Needs network access to deploy.example.com",
    "rm -rf ./dist",
    "/home/ann/code/shop",
    "Allow once, outside the sandbox",
    "Always…",
    "Deny",
    "Waiting for you"
  ],
  approvals: [
    "Allowed",
    "by a rule",
    "by Ann, on telegram",
    "Told: “Never force main. Open a pull request.”",
    "by the deadline: no answer in time",
    "by the agent, which no longer asks",
    "Make this change?",
    "from line 4",
    "U+202E",
    "U+2066",
    "“Always” is not offered",
    "24 more lines: show them to allow",
    "Waiting for you · 3"
  ],
  plan: ["Approve this plan?", "Move the queue to PostgreSQL", "FOR UPDATE SKIP LOCKED", "Approve", "Outline first"],
  question: [
    "2 questions",
    "Where shall the rates come from?",
    "Free, once a day, 30 currencies",
    "Which currencies?",
    "(several)"
  ],
  errors: [
    "gemini has reached its limit",
    "trying again in 8 s",
    "The arm64 image lacks",
    "claude is not signed in",
    "sign in; then press Again.",
    "codex crashed",
    "Files that it changed stay changed",
    "Again from the start",
    "Failed · 10 s"
  ],
  stopped: ["The image is built from", "Stopped · 2 s"],
  interrupted: [
    "An answer may be missing here.",
    "Show",
    "unknown",
    "The host was restarted",
    "Go on",
    "Again",
    "Forget"
  ],
  attachments: ["receipt.png", "402 kB", "corrected", "receipt-corrected.pdf"],
  budget: ["The budget is spent", "This run reserves $0.50", "free again tomorrow at 00:00", "Cheaper model"],
  rtl: ["ترجمة صفحة الدفع", "غيّرت الملف", "التغيير", "Run this command?"]
}

const suite = browserSuite()

const textOf = (page: Page) => page.evaluate<string>("document.body.innerText")
const ready = (page: Page, scenario: Scenario) =>
  page.until(
    `document.querySelector("#conversations").children.length > 0 && ${
      scenario.rows.length === 0
        ? `!document.querySelector("#start").hidden`
        : `document.querySelector("#log").children.length > 0`
    } && document.querySelector("#title").textContent !== ""`
  )

describe("a state of the page", () => {
  it("is there for each that is expected", () => {
    assert.sameMembers(Object.keys(scenarios), Object.keys(visible))
  })

  it.each(Object.entries(scenarios))(
    "%s shows what it is for, accessibly, at each width and in both schemes",
    async (name, scenario) => {
      await using shownPage = await suite.show(scenario, name === "rtl" ? { direction: "rtl" } : {})
      const { page } = shownPage
      await ready(page, scenario)
      await page.size(1600, 900)
      const text = (await textOf(page)).replaceAll("\u00a0", " ")
      for (const words of visible[name] ?? []) {
        const isThere =
          text.includes(words) || (await page.evaluate<string>("document.body.textContent")).includes(words)
        assert.isTrue(isThere, `${name}: “${words}” in ${text.slice(0, 3000)}`)
      }
      await everywhere(page, name)
    }
  )

  it("rtl turns the page with the language of its words, and leaves code and paths", async () => {
    await using shownPage = await suite.show("rtl", { direction: "rtl" })
    const { page } = shownPage
    await ready(page, scenarios["rtl"] ?? hostile)
    const sideOf = (selector: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).direction`)
    assert.deepStrictEqual(await Promise.all([".body", ".bubble", ".diff", "pre.whole", ".code pre"].map(sideOf)), [
      "rtl",
      "rtl",
      "ltr",
      "ltr",
      "ltr"
    ])
    const first = await page.evaluate<number>(`document.querySelector("#side").getBoundingClientRect().left`)
    assert.isAbove(first, 450)
  })

  it("hostile shows all of it as text, runs none of it, and asks no other host", async () => {
    await using shownPage = await suite.show(hostile)
    const { page, server } = shownPage
    await ready(page, hostile)
    await page.until(`document.querySelectorAll(".card.request").length >= 4`)
    for (const details of ["document.querySelectorAll('details').forEach((each) => { each.open = true })"])
      await page.evaluate(details)
    await page.click(".c-act")
    await page.until(`document.querySelector(".rename input")`)
    await everywhere(page, "hostile")
    const known = await page.evaluate<{
      ran: unknown
      scripts: number
      images: number
      hrefs: ReadonlyArray<string>
      handlers: number
      hosts: ReadonlyArray<string>
    }>(`({
      ran: window.ran ?? null,
      scripts: document.querySelectorAll("script").length,
      images: document.querySelectorAll("img, iframe, object, embed, form[action], base, style, link:not([rel=stylesheet]):not([rel=icon])").length,
      hrefs: [...document.querySelectorAll(".prose a")].map((each) => each.protocol),
      handlers: [...document.querySelectorAll("*")].filter((each) => each.getAttributeNames().some((name) => name.startsWith("on") || name === "style")).length,
      hosts: [...new Set(performance.getEntriesByType("resource").map((each) => new URL(each.name).origin))]
    })`)
    assert.deepStrictEqual(known, {
      ran: null,
      scripts: 1,
      images: 0,
      hrefs: ["https:"],
      handlers: 0,
      hosts: [server.url.slice(0, -1)]
    })
    const text = await page.evaluate<string>("document.body.textContent")
    const fields = [
      "message",
      "thinking",
      "command",
      "output",
      "mcpTitle",
      "edited",
      "before",
      "after",
      "moved",
      "entry",
      "notice",
      "heading",
      "code",
      "quote",
      "item",
      "td",
      "said",
      "host",
      "error",
      "help",
      "askCommand",
      "askDirectory",
      "reason",
      "doubt",
      "plan",
      "decision",
      "decidedBy",
      "question",
      "option",
      "description",
      "answered",
      "waiting",
      "plainText",
      "conversation",
      "path",
      "branch",
      "budget",
      "title",
      "file",
      "saidFile"
    ]
    for (const field of fields) assert.include(text, `<script>window.ran="${field}"</script>`, field)
    // As JSON.
    for (const field of ["value", "raw"]) assert.include(text, `<script>window.ran=\\"${field}\\"</script>`, field)
    assert.include(text, "U+202E")
  })

  it("expired says how to get a link, and takes nothing", async () => {
    await using shownPage = await suite.show("answer")
    const { server } = shownPage
    for (const url of [server.url, `${server.url}#key=wrong`]) {
      const page = await suite.browser().page(url)
      await page.until(`!document.querySelector("#start").hidden`)
      const text = await textOf(page)
      assert.include(text, "This link is not valid here")
      assert.include(text, "npx reins serve")
      assert.notInclude(text, "Cart total")
      assert.isTrue(await page.evaluate(`document.querySelector("#foot").hidden`))
      await everywhere(page, "expired")
      await page.close()
    }
  })

  it("of a conversation that is not there says so", async () => {
    await using shownPage = await suite.show("answer")
    const { server } = shownPage
    const page = await suite.browser().page(linkOf(server, "unknown"))
    await page.until(`document.body.innerText.includes("This conversation is not here")`)
    await page.close()
  })
})
