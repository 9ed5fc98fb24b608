/** Dialogs over or beside a conversation, and the connection's notices, at each width and in both schemes. */
import { describe, it } from "vitest"
import { everywhere } from "../../tools/browser/everywhere.ts"
import { done, run, say } from "../../tools/browser/rows.ts"
import { browserSuite } from "../../tools/browser/suite.ts"

const suite = browserSuite()
const calm = {
  rows: [
    { row: "message", message: "m0", by: "You", text: "Hello", state: "sent" },
    run(),
    say("Hello to you."),
    done()
  ]
} as const
const drawn = `document.querySelector("main").innerText.includes("Hello to you.")`
const link = (words: string) => `document.querySelector("#link").innerText.includes(${JSON.stringify(words)})`

describe("the connection", () => {
  it("that is lost says so, with what is not sent yet", async () => {
    await using visible = await suite.show({ rows: [run(), say("Hello to you.")] })
    const { page, server } = visible
    await page.until(drawn)
    server.reply = ({ path }) => (path === "messages" ? { status: 0, lost: "before" } : undefined)
    await page.evaluate(`document.querySelector("#prompt").focus()`)
    await page.type("Use BigInt if it is simpler.")
    await page.press("Enter")
    await page.until(`document.querySelector("#unsent").innerText.includes("Not sent yet")`)
    await server.end()
    await page.until(link("Connection lost"))
    // Before it is tried again: the words stay.
    await page.evaluate(`window.fetch = () => new Promise(() => {})`)
    await everywhere(page, "lost")
    await server.begin()
  })

  it("to a server that has ended says what to do", async () => {
    await using visible = await suite.show(calm)
    const { page, server } = visible
    await page.until(drawn)
    await server.end()
    await page.until(link("Start it again where it ran"))
    await everywhere(page, "offline")
    await server.begin()
  })

  it("with a link of before says which one to open", async () => {
    await using visible = await suite.show(calm)
    const { page, server } = visible
    await page.until(drawn)
    server.renewKey()
    server.cut()
    await page.until(link("This link is no longer valid"))
    await everywhere(page, "renewed")
  })
})

describe("what opens", () => {
  it("is the list on a phone, with a search that finds nothing", async () => {
    await using visible = await suite.show(calm, { width: 800 })
    const { page } = visible
    await page.until(drawn)
    await page.press("Control+KeyK")
    await page.until(`document.activeElement.id === "find"`)
    await everywhere(page, "drawer")
    await page.type("zzz")
    await page.until(`document.querySelector(".nothing")`)
    await everywhere(page, "drawer-nothing")
  })

  it("are the actions of a conversation", async () => {
    await using visible = await suite.show(calm)
    const { page } = visible
    await page.until(drawn)
    await page.click(`[data-actions="c1"]`)
    await page.until(`document.activeElement.matches(".rename input")`)
    await everywhere(page, "actions")
  })

  it("are the keys, and a file", async () => {
    await using visible = await suite.show("attachments")
    const { page } = visible
    await page.until(`document.querySelector(".said-row")`)
    await page.evaluate(`document.activeElement.blur()`)
    await page.press("Shift+Question")
    await page.until(`document.querySelector("#keys").open`)
    await everywhere(page, "keys")
    await page.press("Escape")
    await page.click(`[aria-label="Show log.txt"]`)
    await page.until(`document.querySelector("dialog[open] pre")`)
    await everywhere(page, "file")
  })

  it("are the panels of a request", async () => {
    await using visible = await suite.show("approval")
    const { page } = visible
    await page.until(`document.querySelector(".card.request")`)
    await page.click("text=Always…")
    await page.until(`document.querySelector(".panel .choice")`)
    await everywhere(page, "always")
    await page.click("text=Deny with a message…")
    await page.until(`document.querySelector(".panel textarea")`)
    await everywhere(page, "deny-message")
  })

  it("are files in the box, under way, done and refused", async () => {
    await using visible = await suite.show(calm)
    const { page, server } = visible
    await page.until(drawn)
    server.reply = ({ path, query }) =>
      path === "files" && query.get("name")?.startsWith("recording")
        ? { status: 413, body: { error: "The disk of the server is full." } }
        : undefined
    for (const name of ["cart-screenshot.png", "orders-2026-11.csv", "recording-of-the-whole-call-with-support.mp4"])
      await page.evaluate(`(() => {
        const data = new DataTransfer()
        data.items.add(new File(["x".repeat(184320)], ${JSON.stringify(name)}))
        document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }))
      })()`)
    await page.until(
      `document.querySelectorAll("#files .file").length === 3 && !document.querySelector("#files progress") && document.querySelector("#files [data-problem]")`
    )
    await page.evaluate(`document.querySelector("#prompt").focus()`)
    await page.type("Here is what the customer sees.")
    await page.press("Enter")
    await page.until(`document.querySelector("#problem").textContent.startsWith("Not sent: remove")`)
    await everywhere(page, "files")
  })
})
