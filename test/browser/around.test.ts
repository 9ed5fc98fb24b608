/** Parts around a conversation: the list, files, keys, the drawer of a phone, colours of the browser. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import type { Page } from "../../tools/browser/page.ts"
import { done, run, say } from "../../tools/browser/rows.ts"
import { pressesTo } from "../../tools/browser/scriptedServer.ts"
import { baseState } from "../../tools/browser/states.ts"
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
const has = (text: string) => `document.querySelector("main").innerText.includes(${JSON.stringify(text)})`
const list = (page: Page) =>
  page.evaluate<ReadonlyArray<string>>(
    `[...document.querySelectorAll("#conversations h2, #conversations .c-title, #conversations summary")].map((each) => each.textContent.trim())`
  )

describe("the list", () => {
  it("has what waits first, then days, and finds by title, directory and agent", async () => {
    await using visible = await suite.show(calm)
    const { page } = visible
    const names = await list(page)
    assert.deepStrictEqual(names.slice(0, 5), [
      "Waits for you",
      "Publish 2.4.0",
      "Today",
      "Cart total is off by a cent",
      "Why does the nightly build fail on arm64?"
    ])
    assert.include(names, "Archived · 1")
    await page.press("Control+KeyK")
    await page.type("infra")
    await page.until(`document.querySelectorAll(".c-title").length === 2`)
    assert.strictEqual(await page.evaluate(`document.querySelector("#found").textContent`), "2 conversations found")
    await page.evaluate(`document.querySelector("#find").value = ""`)
    await page.type("zzz")
    await page.until(`document.querySelector("#conversations").innerText.includes("Nothing with “zzz”.")`)
  })

  it("says which machine has a conversation, and shows no directory of this one for it", async () => {
    const [row] = baseState.conversations
    const at = { ...row, id: "c9999999-0000-4000-8000-000000000001", title: "Elsewhere", page: "attic", state: "done" }
    await using visible = await suite.show({ ...calm, state: { conversations: [at, ...baseState.conversations] } })
    const { page } = visible
    await page.until(
      `[...document.querySelectorAll("#conversations a")].some((each) => each.innerText.includes("Elsewhere") && each.innerText.includes("at attic"))`
    )
    await page.evaluate(`document.querySelector("#conversations a[href*=c9999999]").click()`)
    await page.until(`document.querySelector("#where").textContent === "at attic"`)
    await page.press("Control+KeyK")
    await page.type("attic")
    await page.until(`document.querySelectorAll(".c-title").length === 1`)
  })

  it("has each title beside the button of its actions, whatever its direction", async () => {
    await using visible = await suite.show(calm)
    const { page } = visible
    const places = await page.evaluate<ReadonlyArray<boolean>>(
      `[...document.querySelectorAll(".c-line")].map((line) => line.querySelector(".c-title").getBoundingClientRect().right <= line.querySelector(".c-act").getBoundingClientRect().left)`
    )
    assert.isAtLeast(places.length, 7)
    assert.notInclude(places, false)
  })

  it("renames, exports and archives, and says what was refused", async () => {
    await using visible = await suite.show(calm)
    const { page, server } = visible
    const act = `[data-actions="c1"]`
    await page.click(act)
    await page.until(`document.activeElement.matches(".rename input")`)
    await page.evaluate(`document.activeElement.select()`)
    await page.type("Cents")
    await page.press("Enter")
    await page.until(`!document.querySelector(".c-actions") && document.activeElement.dataset.actions === "c1"`)
    await page.press("Enter")
    await page.click("text=Archive")
    await page.until(`!document.querySelector(".c-actions")`)
    server.reply = ({ path }) =>
      path.startsWith("conversations/")
        ? { status: 409, body: { error: "It is at work.", help: "Stop it first." } }
        : undefined
    await page.click(act)
    await page.click("text=Archive")
    await page.until(`document.querySelector(".c-actions .problem").textContent === "It is at work. Stop it first."`)
    await page.press("Escape")
    const reported: ReadonlyArray<unknown> = server.told.map(({ path, body }) => [path, body])
    assert.deepStrictEqual(reported, [
      ["conversations/c1", { title: "Cents" }],
      ["conversations/c1", { archived: true }],
      ["conversations/c1", { archived: true }]
    ])
  })

  it("tells of another conversation that asks, also in the title of the tab", async () => {
    await using visible = await suite.show({
      ...calm,
      state: { conversations: baseState.conversations.filter(({ state }) => state !== "asking") }
    })
    const { page, server } = visible
    await page.until(`document.title === "Cart total is off by a cent · Reins"`)
    server.state({ conversations: baseState.conversations })
    await page.until(`document.title.startsWith("(!) ")`)
    await page.until(`document.querySelector("#polite").textContent === "“Publish 2.4.0” waits for you."`)
  })

  it("goes back and forward between conversations", async () => {
    await using visible = await suite.show(calm)
    const { page } = visible
    await page.until(has("Hello to you."))
    await page.click(`a[href="#c=c2"]`)
    await page.until(`document.querySelector("#title").textContent === "Publish 2.4.0"`)
    await page.evaluate("history.back()")
    await page.until(has("Hello to you."))
    await page.press("Alt+KeyN")
    await page.until(`!document.querySelector("#start").hidden && location.hash === ""`)
    await page.evaluate("history.back()")
    await page.until(has("Hello to you."))
  })
})

describe("files", () => {
  it("are uploaded when picked, dropped or pasted, and named in the message", async () => {
    await using visible = await suite.show(calm)
    const { page, server } = visible
    const folder = await mkdtemp(join(tmpdir(), "reins-files-"))
    try {
      const picked = join(folder, "orders.csv")
      await writeFile(picked, "a,b\n".repeat(1000))
      const { root } = (await page.send("DOM.getDocument")) as { root: { nodeId: number } }
      const { nodeId } = await page.send("DOM.querySelector", { nodeId: root.nodeId, selector: "#picker" })
      await page.send("DOM.setFileInputFiles", { nodeId, files: [picked] })
      const give = (type: string, target: string, name: string) =>
        page.evaluate(`(() => {
          const data = new DataTransfer()
          data.items.add(new File(["content of ${name}"], "${name}", { type: "text/plain" }))
          const event = "${type}" === "paste" ? new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }) : new DragEvent("${type}", { dataTransfer: data, bubbles: true, cancelable: true })
          ${target}.dispatchEvent(event)
        })()`)
      await give("dragover", "document.body", "dropped.txt")
      assert.isTrue(await page.evaluate(`document.querySelector("#compose").classList.contains("dropping")`))
      await give("drop", "document.body", "dropped.txt")
      await give("paste", `document.querySelector("#prompt")`, "pasted.txt")
      await page.until(
        `document.querySelectorAll("#files .file").length === 3 && !document.querySelector("#files progress")`
      )
      await page.open(`${server.url}?reload#c=c1`)
      await page.until(`document.querySelectorAll("#files .file").length === 3`)
      await page.click(`[aria-label="Remove dropped.txt"]`)
      await page.evaluate(`document.querySelector("#prompt").focus()`)
      await page.type("Look.")
      await page.press("Enter")
      await page.until(`document.querySelectorAll("#log .message").length === 2`)
      const sent = server.told
        .filter(({ path }) => path === "files")
        .map(({ query, bytes }) => [query.get("name"), bytes])
      assert.deepStrictEqual(sent, [
        ["orders.csv", 4000],
        ["dropped.txt", 22],
        ["pasted.txt", 21]
      ])
      const [message] = server.told.filter(({ path }) => path === "messages")
      assert.deepStrictEqual(message?.body.files, ["file-1", "file-3"])
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it("that are too large, or refused, are told of and hold the message back until they are removed", async () => {
    await using visible = await suite.show({ ...calm, state: { limits: { text: 50, uploadBytes: 100 } } })
    const { page, server } = visible
    const drop = (name: string, size: number) =>
      page.evaluate(`(() => {
        const data = new DataTransfer()
        data.items.add(new File(["x".repeat(${size})], "${name}"))
        document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }))
      })()`)
    await page.until(has("Hello to you."))
    server.reply = ({ path }) =>
      path === "files" ? { status: 413, body: { error: "The disk of the server is full." } } : undefined
    await drop("big.bin", 101)
    await drop("refused.bin", 99)
    await page.until(
      `document.querySelector("#files").innerText.includes("over 100 B") && document.querySelector("#files").innerText.includes("The disk of the server is full.")`
    )
    await page.evaluate(`document.querySelector("#prompt").focus()`)
    await page.type("Look.")
    await page.press("Enter")
    await page.until(
      `document.querySelector("#problem").textContent === "Not sent: remove big.bin first, it was not attached."`
    )
    await page.click(`[aria-label="Remove big.bin"]`)
    await page.click(`[aria-label="Remove refused.bin"]`)
    await page.type("x".repeat(100))
    await page.press("Enter")
    await page.until(`document.querySelector("#problem").textContent.startsWith("Too long by 55 characters")`)
    assert.deepStrictEqual(
      server.told.filter(({ path }) => path === "messages"),
      []
    )
  })

  it("of the conversation are looked at as text, and run nothing", async () => {
    await using visible = await suite.show("attachments")
    const { page } = visible
    await page.click(`[aria-label="Show log.txt"]`)
    await page.until(
      `document.querySelector("dialog[open] pre")?.innerText.includes("<script>window.ran='file'</script>")`
    )
    assert.isTrue(await page.evaluate("window.ran === undefined"))
    await page.press("Escape")
    await page.until(`!document.querySelector("dialog[open]")`)
  })
})

describe("keys", () => {
  it("reach everything from the start of the page, and ? lists them", async () => {
    await using visible = await suite.show(calm)
    const { page } = visible
    await page.until(has("Hello to you."))
    await page.evaluate(`document.activeElement.blur()`)
    await page.press("Slash")
    assert.isTrue(await page.evaluate(`document.activeElement.id === "prompt"`))
    await page.press("Alt+ArrowUp")
    assert.isTrue(await page.evaluate(`document.activeElement.matches("article.turn")`))
    await page.press("Alt+ArrowUp")
    assert.isTrue(await page.evaluate(`document.activeElement.matches("article.message")`))
    await page.press("Shift+Question")
    await page.until(`document.querySelector("#keys").open`)
    assert.include(await page.evaluate<string>(`document.querySelector("#keys").innerText`), "Go to what waits for you")
    await page.press("Escape")
    await page.until(`!document.querySelector("#keys").open`)
    const reached = new Set<string>()
    for (let i = 0; i < 60; i++) {
      await page.press("Tab")
      reached.add(
        await page.evaluate<string>(
          `document.activeElement.id || document.activeElement.className || document.activeElement.tagName`
        )
      )
    }
    for (const id of ["new", "find", "theme", "prompt", "attach", "agent", "model", "mode", "send"])
      assert.include([...reached], id)
  })
})

describe("keys of a Mac", () => {
  it("are shown as on its keyboard, and are commands with ⌘, never with Ctrl", async () => {
    await using visible = await suite.show({ rows: [run()] }, { mac: true })
    const { page, server } = visible
    await page.until(`!document.querySelector("#run").hidden`)
    assert.strictEqual(
      await page.evaluate(`document.querySelector("#hint").textContent`),
      "Enter: the agent takes it up at its next step · ⌥Enter: queue · ⌘. stops"
    )
    assert.strictEqual(
      await page.evaluate(`document.querySelector("#find").getAttribute("aria-keyshortcuts")`),
      "Meta+K"
    )
    await page.press("Control+KeyK")
    assert.isTrue(await page.evaluate(`document.activeElement.id === "prompt"`))
    await page.press("Meta+KeyK")
    assert.isTrue(await page.evaluate(`document.activeElement.id === "find"`))
    await page.press("Control+Period")
    await page.press("Meta+Period")
    await page.until(`document.querySelector(".stop").innerText.includes("Stopping…")`)
    await page.evaluate(`document.activeElement.blur()`)
    await page.press("Shift+Question")
    await page.until(`document.querySelector("#keys").open`)
    const keys = await page.evaluate<ReadonlyArray<string>>(
      `[...document.querySelectorAll("#keys dt")].map((each) => each.innerText)`
    )
    assert.includeMembers([...keys], ["⌘.", "⌘K", "⌥A", "⌥↑↓"])
    assert.notMatch(await page.evaluate<string>(`document.querySelector("#keys").innerText`), /Ctrl|Alt/)
    assert.lengthOf(await pressesTo(server, 1), 1)
  })

  it("are Ctrl elsewhere, and Meta is the system's", async () => {
    await using visible = await suite.show(calm)
    const { page } = visible
    await page.until(has("Hello to you."))
    await page.press("Meta+KeyK")
    assert.isTrue(await page.evaluate(`document.activeElement.id === "prompt"`))
    assert.include(await page.evaluate(`document.querySelector("#hint").textContent`), "Shift+Enter")
  })
})

describe("a phone", () => {
  it("has the list as a drawer, which makes the rest inert and gives the focus back", async () => {
    await using visible = await suite.show(calm, { width: 360, height: 740, touch: true })
    const { page } = visible
    assert.isTrue(
      await page.evaluate(`document.querySelector("#side").inert && !document.querySelector("#body").inert`)
    )
    await page.click("#menu")
    assert.isTrue(
      await page.evaluate(
        `!document.querySelector("#side").inert && document.querySelector("#body").inert && document.activeElement.id === "side-close"`
      )
    )
    await page.press("Escape")
    assert.isTrue(await page.evaluate(`document.querySelector("#side").inert && document.activeElement.id === "menu"`))
    await page.click("#menu")
    await page.click(`a[href="#c=c3"]`)
    await page.until(
      `document.querySelector("#title").textContent.startsWith("Why does") && document.querySelector("#side").inert`
    )
  })
})

describe("a phone with a notch", () => {
  it("has nothing behind it, nor behind the bar of gestures, lying or upright", async () => {
    await using visible = await suite.show(calm, { width: 780, height: 360, touch: true })
    const { page } = visible
    await page.until(has("Hello to you."))
    await page.send("Emulation.setSafeAreaInsetsOverride", { insets: { left: 44, right: 44, bottom: 21, top: 0 } })
    const places = `["#prompt", ".bar > *", "#send", "main .bubble"].map((each) => document.querySelector(each).getBoundingClientRect())`
    await page.until(`${places}.every(({ left, right, bottom }) => left >= 44 && right <= 736 && bottom <= 339)`)
    await page.size(360, 780)
    await page.send("Emulation.setSafeAreaInsetsOverride", { insets: { left: 0, right: 0, bottom: 34, top: 47 } })
    await page.until(`${places}.every(({ top, bottom }) => top >= 47 && bottom <= 746)`)
    await page.click("#menu")
    await page.until(`document.querySelector("#new").getBoundingClientRect().top >= 47`)
  })
})

describe("colours", () => {
  it("are the system's until another is chosen, which is kept", async () => {
    await using visible = await suite.show(calm, { scheme: "dark" })
    const { page, server } = visible
    const background = `getComputedStyle(document.documentElement).backgroundColor`
    assert.strictEqual(await page.evaluate(background), "rgb(22, 24, 26)")
    await page.click("#theme")
    assert.strictEqual(await page.evaluate(background), "rgb(255, 255, 255)")
    await page.open(`${server.url}?reload#c=c1`)
    await page.until(has("Hello to you."))
    assert.strictEqual(await page.evaluate(background), "rgb(255, 255, 255)")
    assert.strictEqual(
      await page.evaluate(`document.querySelector("#theme").getAttribute("aria-label")`),
      "Colours: light"
    )
  })
})
