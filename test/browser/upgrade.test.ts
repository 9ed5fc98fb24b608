/** A page that the release before gave, open while its host is replaced by this one. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { type Browser, startBrowser } from "../../tools/browser/browser.ts"
import type { Page } from "../../tools/browser/page.ts"
import { makeRoom, type Room, script, startServe } from "../program/serve/room.ts"
import { hasPrevious, previousProgram } from "../upgrade/previous.ts"

const has = (words: string) => `document.querySelector("main").innerText.includes(${JSON.stringify(words)})`

const say = async (page: Page, words: string) => {
  await page.evaluate(`document.querySelector("#prompt").focus()`)
  await page.type(script({ say: words }))
  await page.press("Enter")
  // The message shows the words, too, in quotation marks.
  await page.until(
    `[...document.querySelectorAll(".prose")].some((prose) => prose.innerText.trim() === ${JSON.stringify(words)})`
  )
}

describe.skipIf(!hasPrevious)("a page of the release before", () => {
  let browser: Browser
  let program = ""
  beforeAll(async () => {
    program = previousProgram()
    browser = await startBrowser(process.env["REINS_CHROMIUM"] ?? "chromium")
  }, 400_000)
  afterAll(() => browser[Symbol.asyncDispose]())

  const stack = new AsyncDisposableStack()
  afterEach(() => stack.disposeAsync())

  const serve = async (room: Room, web: string) => {
    const { child, ended, page } = await startServe(room, [`--web=${web}`])
    const stop = async () => {
      child.kill("SIGTERM")
      await ended
    }
    stack.defer(stop)
    return { stop, page }
  }

  it("goes on with this one: it connects again, shows what was said, and asks on", async () => {
    const now = makeRoom()
    stack.defer(now.remove)
    const old = await serve({ ...now, program }, "0")
    const page = await browser.page(`${old.page.base}/#key=${old.page.key}`)
    stack.defer(() => page.close())
    await page.until(`!document.querySelector("#start").hidden`)
    await say(page, "Said before.")
    await old.stop()
    const next = await serve(now, new URL(old.page.base).port)
    expect(next.page).toEqual(old.page)
    await say(page, "Said after.")
    expect(await page.evaluate(has("Said before."))).toBe(true)
    const place = await page.evaluate<string>("location.hash")
    await page.open(`${next.page.base}/?again${place}`)
    await page.until(`${has("Said before.")} && ${has("Said after.")}`)
    // The browser reports the moment without a host, which is not the fault of the page.
    expect(
      page.problems.filter(
        (problem) => !/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|Failed to load resource/.test(problem)
      )
    ).toEqual([])
  }, 120_000)
})
